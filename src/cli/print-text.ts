import { plainText } from '../kit/bytes/plain-text.ts'

/** Where a command prints: the process's standard output or its standard error. */
export interface TextStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Prints a text. A terminal gets nothing that it would obey: much of what commands show comes from outside. */
export function printText(stream: TextStream, text: string): void {
  stream.write(forStream(stream, text))
}

/** The text as the stream may have it. */
export function forStream({ isTTY }: Pick<TextStream, 'isTTY'>, text: string): string {
  return isTTY === true ? plainText(text) : text
}
