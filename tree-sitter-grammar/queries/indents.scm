; Lines between a pair of brackets are indented; the line that begins with the closing one is not.

(_ "{" "}") @indent.begin
(_ "[" "]") @indent.begin
(_ "(" ")") @indent.begin

["}" "]" ")"] @indent.branch @indent.end

[(comment) (raw_string)] @indent.ignore
