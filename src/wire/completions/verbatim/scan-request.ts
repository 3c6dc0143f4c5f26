import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { MAX_BODY_VALUES } from '../../../kit/json/body-bytes.ts'
import { readStreamOptions } from '../../openai/verbatim/splice-request.ts'
import { scanBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** The top-level fields that affect routing, behavior, price or the form of the answer. */
const watched: ReadonlySet<string> = new Set([
  'best_of',
  'echo',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_tokens',
  'metadata',
  'model',
  'n',
  'presence_penalty',
  'prompt',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'stream',
  'stream_options',
  'suffix',
  'temperature',
  'top_p',
  'user',
])

/**
 * Checks only the fields that the gateway itself reads or changes. The prompt may be missing, and the service then
 * starts a new text. The prompt may also be lists of tokens, in which each token counts as a value.
 */
export function scanRequest(body: BodyBytes): ScannedRequest {
  const scanned = scanBody(body, watched, MAX_BODY_VALUES)
  readStreamOptions(scanned)
  return scanned
}
