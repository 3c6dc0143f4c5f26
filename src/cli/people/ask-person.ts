import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { OperatorError } from '../../canonical/operator-error.ts'

/** Asks the person at the terminal, or reads piped input, one line for each question. */
export interface Questions {
  ask(question: string): Promise<string>
  /** Asks without showing the input. */
  askSecret(question: string): Promise<string>
  /** Asks for a new secret without showing it. A terminal asks twice, until both inputs are equal. */
  askNewSecret(question: string): Promise<string>
  close(): void
}

export function openQuestions(
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean } = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Questions {
  let isHidden = false
  const screen = new Writable({
    write(chunk, _, done) {
      if (!isHidden) output.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input, output: screen, terminal: input.isTTY === true })
  const waiting = lines[Symbol.asyncIterator]()
  const read = async (question: string, hidden: boolean) => {
    output.write(question)
    isHidden = hidden
    const { value, done } = await waiting.next()
    isHidden = false
    if (hidden) output.write('\n')
    if (done === true) throw new OperatorError('input_ended', 'there is nothing more to read')
    return value
  }
  const readTwice = async (question: string) => {
    for (;;) {
      const first = await read(question, true)
      if (input.isTTY !== true || first === (await read('The same again: ', true))) return first
      output.write('These were not the same. Once more, please.\n')
    }
  }
  return {
    ask: (question) => read(question, false),
    askSecret: (question) => read(question, true),
    askNewSecret: readTwice,
    close: () => lines.close(),
  }
}
