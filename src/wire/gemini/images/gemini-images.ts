import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { createLossList, type LossList, type Written } from '../../../canonical/loss.ts'
import type { ImageInput, ImageReply, ImageRequest, MadeImage } from '../../../canonical/operations/image.ts'
import { FileInJson, type JsonWithFiles } from '../../../canonical/uploads/json-with-files.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { cannotCarryField } from '../../fields/cannot-carry-field.ts'
import type { ChannelImages } from '../../operations/image-format.ts'
import { readErrorInAnswer } from '../errors/read-error.ts'
import { answerParts } from '../values/answer-parts.ts'
import { modelPath } from '../values/model-path.ts'
import { readUsage } from '../values/read-usage.ts'

/**
 * Images by Google's models that generate images along with other content
 * (https://ai.google.dev/gemini-api/docs/image-generation, seen 2026-11-24). One call makes one image. The size is an
 * aspect ratio and one of a few resolutions.
 */
export const geminiImages: ChannelImages = {
  operation: { id: 'gemini', path: ({ model }) => `${modelPath(model)}:generateContent` },
  writeRequest,
  readReply,
}

function writeRequest(request: ImageRequest, model: string): Written<JsonWithFiles> {
  const losses = createLossList()
  if (request.hasMask) throw cannotCarryField('mask', 'takes no mask')
  if (request.outputFormat !== undefined && request.outputFormat !== 'png') losses.drop(['output_format'])
  losses.drop(request.otherFields)
  const value = {
    contents: [{ role: 'user', parts: [...request.inputs.map(writeInput), { text: request.prompt }] }],
    generationConfig: omitUndefined({
      responseModalities: ['IMAGE'],
      imageConfig: request.size && writeSize(request.size, model, losses),
    }),
  }
  return { value, losses: losses.all }
}

function writeInput(input: ImageInput): JsonWithFiles {
  switch (input.type) {
    case 'file':
      return { inlineData: { mimeType: input.mediaType, data: new FileInJson(input.content) } }
    case 'base64':
      return { inlineData: { mimeType: input.mediaType, data: input.data } }
    case 'reference':
      throw cannotCarryField(input.param, 'takes images as files or as data URLs alone')
  }
}

const ratios = [
  [1, 1],
  [2, 3],
  [3, 2],
  [3, 4],
  [4, 3],
  [4, 5],
  [5, 4],
  [9, 16],
  [16, 9],
  [21, 9],
] as const

/** The largest pixel count for which each resolution is the nearest: the midpoint between two resolutions. */
const steps = [
  ['1K', 2_000_000],
  ['2K', 6_500_000],
  ['4K', Number.POSITIVE_INFINITY],
] as const

function writeSize(
  { width, height }: NonNullable<ImageRequest['size']>,
  model: string,
  losses: LossList,
): JsonObject {
  const wanted = Math.log(width / height)
  const nearest = ratios.reduce((best, next) =>
    distance(next, wanted) < distance(best, wanted) ? next : best,
  )
  const [step] = steps.find(([, pixels]) => width * height <= pixels) ?? steps[2]
  // The second generation of models has only one resolution.
  const hasSteps = !/gemini-2/.test(model)
  losses.lose('foreign-field', 'approximated', 'size')
  return { aspectRatio: nearest.join(':'), ...(hasSteps && { imageSize: step }) }
}

function distance([width, height]: readonly [number, number], wanted: number): number {
  return Math.abs(Math.log(width / height) - wanted)
}

/** An answer without an image is a refusal by the model. The failure quotes the model's text if there is any. */
function readReply(body: JsonValue): ImageReply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const failure = readErrorInAnswer(body)
  if (failure !== undefined) return failure
  const parts = answerParts(body)
  const images = parts.flatMap(readImage)
  if (images.length > 0) return { images, usage: readUsage(body['usageMetadata']) }
  return describeRefusal(body, parts)
}

function readImage({ inlineData }: JsonObject): readonly MadeImage[] {
  if (!isJsonObject(inlineData)) return []
  const { mimeType, data } = inlineData
  if (typeof data !== 'string' || typeof mimeType !== 'string' || !mimeType.startsWith('image/')) return []
  return [{ mediaType: mimeType, data }]
}

function describeRefusal(body: JsonObject, parts: readonly JsonObject[]): Failure {
  const { candidates, promptFeedback } = body
  const first = isJsonArray(candidates) ? candidates[0] : undefined
  const reason =
    (isJsonObject(promptFeedback) ? promptFeedback['blockReason'] : undefined) ??
    (isJsonObject(first) ? first['finishReason'] : undefined)
  if (typeof reason !== 'string') return createFailure('upstream_empty')
  const [words] = parts.flatMap(({ text }) => (typeof text === 'string' && text !== '' ? [text] : []))
  return createFailure('content_policy_violation', {
    param: 'prompt',
    message: `The model made no image (${reason.slice(0, 64)}).${words === undefined ? '' : ` It says: ${words.slice(0, 500)}`}`,
  })
}
