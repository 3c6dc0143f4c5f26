import type { EmbeddingInput } from '../../../canonical/embedding.ts'
import { GatewayError } from '../../../canonical/failure.ts'

/** Returns the text of an input. Throws `GatewayError` (400) if it is anything else. */
export function textOfInput(input: EmbeddingInput): string {
  if (input.type === 'text') return input.text
  throw new GatewayError('cannot_be_carried', {
    param: 'input',
    message:
      'The channel for this model makes vectors of texts alone, and "input" holds something else, such as tokens of another model. Send the texts themselves.',
  })
}
