import { IMAGE_UNIT } from '../../../canonical/operations/units.ts'
import { filesOf } from '../../../canonical/uploads/uploaded-form.ts'
import { noUsage } from '../../../canonical/usage.ts'
import { isJsonArray } from '../../../kit/json/json.ts'
import type { MediaEstimate } from '../../operations/media-format.ts'
import { type SpendingTerms, termsWithoutOutput } from '../../spending-terms.ts'
import { readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'
import { imagesOf, likelyImageTokens, maxImageTokens, maxInputImageTokens } from '../image-tokens.ts'

const BYTES_A_TOKEN = 4

/**
 * Holds the cost of all requested images at the most expensive size and quality that the request allows, and the cost
 * of each input image.
 */
export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  const count = imagesOf(scanned)
  return {
    ...termsWithoutOutput,
    choices: count,
    maxOutputTokens: maxImageTokens(scanned),
    hasMedia: () => inputImages(scanned) > 0,
    mediaTokens: () => maxInputImageTokens(inputImages(scanned)),
    billedTools: () => [{ name: IMAGE_UNIT, maxCalls: count }],
  }
}

/** Some servers make fewer images than a request asks for. */
export function estimateUsage(scanned: ScannedRequest, made = Infinity): MediaEstimate {
  const count = Math.min(made, imagesOf(scanned))
  const outputTokens = count * likelyImageTokens(scanned)
  const inputImageTokens = maxInputImageTokens(inputImages(scanned))
  const prompt = scanned.fields.get('prompt')
  const promptBytes = prompt === undefined ? 0 : prompt.valueEnd - prompt.valueStart
  return {
    tokens: {
      ...noUsage,
      freshInputTokens: Math.ceil(promptBytes / BYTES_A_TOKEN) + inputImageTokens,
      inputImageTokens,
      outputTokens,
      outputImageTokens: outputTokens,
      isEstimated: true,
    },
    units: { [IMAGE_UNIT]: count },
    unitsAreEstimated: false,
  }
}

function inputImages(scanned: ScannedRequest): number {
  const references = readSent(scanned, 'images')
  return filesOf(scanned.form).length + (isJsonArray(references) ? references.length : 0)
}
