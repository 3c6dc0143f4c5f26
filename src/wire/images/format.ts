import type { UploadedForm } from '../../canonical/uploads/uploaded-form.ts'
import { openAiFrames } from '../openai/format-frames.ts'
import { createMediaWatcher } from '../openai/media/media-watcher.ts'
import { readFormFields } from '../openai/media/read-form.ts'
import { readCallerLabels } from '../openai/verbatim/read-caller-labels.ts'
import type { ImageFormat } from '../operations/image-format.ts'
import { replaceModel } from '../verbatim/replace-model.ts'
import { imagesOf } from './image-tokens.ts'
import { readImageUsage } from './read-usage.ts'
import { type EventPrefix, replayReply, writeEvents, writeReply } from './reply/write-reply.ts'
import { readRequest } from './request/read-request.ts'
import { estimateUsage, readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { scanEdit, scanGeneration } from './verbatim/scan-request.ts'
import { watchReply } from './verbatim/watch-reply.ts'

const MEGABYTE = 1024 * 1024

/** An image of 3840 by 2160 pixels has at most 33 MB, and a third more in base64. One answer may contain ten images. */
const bounds = { frameBytes: 64 * MEGABYTE, streamBytes: 1_024 * MEGABYTE, wholeBytes: 256 * MEGABYTE }

const formTypes = {
  n: 'number',
  stream: 'boolean',
  partial_images: 'number',
  output_compression: 'number',
  frame_count: 'number',
  frame_duration_ms: 'number',
} as const

/** OpenAI's image generation from text (https://platform.openai.com/docs/api-reference/images, seen 2026-11-24). */
export const imageGenerationsFormat = createFormat('image-generations', 'image_generation')

/** OpenAI's image edits. The input images are files in a form, or references in JSON. */
export const imageEditsFormat = createFormat('image-edits', 'image_edit')

function createFormat(id: 'image-generations' | 'image-edits', prefix: EventPrefix): ImageFormat {
  return {
    id,
    kind: 'image',
    family: 'chat',
    path: id === 'image-edits' ? '/images/edits' : '/images/generations',
    scanRequest: id === 'image-edits' ? scanEdit : scanGeneration,
    readForm: (form: UploadedForm) => readFormFields(form, formTypes),
    readSpendingTerms,
    estimateUsage,
    readCallerLabels,
    spliceRequest: replaceModel,
    readRequest,
    writeReply,
    writeEvents: (reply, createdAtSeconds) => writeEvents(reply, createdAtSeconds, prefix),
    replayReply: (body, createdAtSeconds) => replayReply(body, createdAtSeconds, prefix),
    watchReply,
    createWatcher: (scanned) =>
      createMediaWatcher({
        isContent: (type) => type.endsWith('.partial_image'),
        isEnd: (type) => type.endsWith('.completed'),
        ends: imagesOf(scanned),
        readUsage: readImageUsage,
        estimate: (made) => estimateUsage(scanned, made).tokens,
      }),
    bounds,
    usagePath: ['usage'],
    ...openAiFrames,
    paramOf: ({ field }) => field ?? 'prompt',
  }
}
