import { dataOfEvent } from '../../support/ask.ts'
import { fieldsOf, listOf } from '../../support/judged.ts'

/** Whether an event of a stream, of either format, holds a piece of the answer's text. */
export function holdsText(chunk: string | Buffer | Promise<unknown>): boolean {
  if (chunk instanceof Promise) return false
  const { choices, delta } = fieldsOf(dataOfEvent(chunk.toString()))
  const words = fieldsOf(delta)['text'] ?? fieldsOf(fieldsOf(listOf(choices)[0])['delta'])['content']
  return typeof words === 'string' && words !== ''
}
