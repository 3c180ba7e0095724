; Lines between a pair of brackets are indented.

(_ "{" "}") @indent
(_ "[" "]") @indent
(_ "(" ")") @indent

["}" "]" ")"] @outdent
