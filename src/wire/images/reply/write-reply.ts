import type { ImageReply } from '../../../canonical/operations/image.ts'
import { type JsonObject, objectsIn } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { writeNamedFrame } from '../../../kit/sse/write-named-frame.ts'
import { writeImageUsage } from '../read-usage.ts'

/** The prefix of the event types, which depends on the operation. */
export type EventPrefix = 'image_generation' | 'image_edit'

export function writeReply(reply: ImageReply, createdAtSeconds: number): JsonObject {
  return {
    created: createdAtSeconds,
    data: reply.images.map(({ data }) => ({ b64_json: data })),
    ...describe(reply),
  }
}

function describe({ images, usage }: ImageReply): JsonObject {
  const format = /^image\/([\w.+-]+)$/.exec(images[0]?.mediaType ?? '')?.[1]
  return omitUndefined({ output_format: format, usage: usage && writeImageUsage(usage) })
}

/** Writes each image as a separate event. The last event has the usage of all images. */
export function writeEvents(reply: ImageReply, createdAtSeconds: number, prefix: EventPrefix): string {
  const { usage, ...rest } = describe(reply)
  const last = reply.images.length - 1
  return reply.images
    .map(({ data }, index) =>
      writeEvent(prefix, {
        b64_json: data,
        created_at: createdAtSeconds,
        ...rest,
        ...(index === last && { usage }),
      }),
    )
    .join('')
}

/** Writes the events of a whole answer of the same format. */
export function replayReply(body: JsonObject, createdAtSeconds: number, prefix: EventPrefix): string {
  const { data, usage, created, ...rest } = body
  const images = objectsIn(data)
  return images
    .map((image, index) =>
      writeEvent(prefix, {
        ...image,
        created_at: created ?? createdAtSeconds,
        ...rest,
        ...(index === images.length - 1 && { usage }),
      }),
    )
    .join('')
}

function writeEvent(prefix: EventPrefix, fields: JsonObject): string {
  const type = `${prefix}.completed`
  return writeNamedFrame(type, { type, ...fields })
}
