"""Body -> blocks, sections, inline syntax, each with exact spans."""
