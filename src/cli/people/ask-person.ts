import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { OperatorError } from '../../canonical/operator-error.ts'

/** Asks who sits at the terminal, or reads what is piped in: a line each. */
export interface Questions {
  ask(question: string): Promise<string>
  /** Asks without showing what is typed. */
  askSecret(question: string): Promise<string>
  /** The same for a secret that is chosen here: at a terminal twice, until both are the same. */
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
