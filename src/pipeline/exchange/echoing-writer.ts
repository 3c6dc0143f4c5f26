import { createEcho } from '../../canonical/echo-reply.ts'
import type { StreamWriter } from '../../wire/wire-format.ts'

/** A writer that puts this text at the head of each choice's words. */
export function createEchoingWriter(writer: StreamWriter, text: string): StreamWriter {
  const echo = createEcho(text)
  return {
    keepsText: writer.keepsText,
    push(event) {
      let output = ''
      for (const each of echo(event)) output += writer.push(each)
      return output
    },
    losses: writer.losses,
  }
}
