import { totalmem } from 'node:os'
import { z } from 'zod'
import { byteSizeSchema } from '../kit/bytes/byte-size-schema.ts'
import { withFact } from '../kit/schema/input-fact.ts'

export interface Limits {
  readonly bodyBytes: number
  readonly heldBodyBytes: number
  readonly heldBodyBytesOfKey: number
  readonly heldAnswerBytes: number
  /** The size limit of a form that a caller uploads. */
  readonly uploadBytes: number
  /** The bytes of one form's files that stay in memory. The rest goes to the data folder. */
  readonly uploadMemoryBytes: number
  /** The limit of the bytes of all forms in flight, in memory and on disk. */
  readonly heldUploadBytes: number
  readonly heldUploadBytesOfKey: number
  readonly connections: number
  readonly connectionsPerAddress: number
}

const DEFAULT_BODY_BYTES = 32 * 1024 ** 2
const DEFAULT_CONNECTIONS = 10_000
const DEFAULT_CONNECTIONS_PER_ADDRESS = 2_000

const DEFAULT_UPLOAD_BYTES = 256 * 1024 ** 2
const DEFAULT_UPLOAD_MEMORY_BYTES = 1024 ** 2
const DEFAULT_HELD_UPLOAD_BYTES = 4 * 1024 ** 3

/** The share of memory for held bodies. A translated request takes several times the bytes of its body. */
const HELD_PART_OF_MEMORY = 1 / 8

/** The unit to which sizes are rounded that depend on the memory. */
const SHOWN_UNIT_BYTES = 2 * 1024 ** 2

/** The number of bodies of the largest size that always fit, however little memory the machine has. */
const MIN_HELD_BODIES = 4

/** The limit of an answer. Embedding answers are the largest. Answers of conversations are smaller. */
const MAX_ANSWER_BYTES = 128 * 1024 ** 2
const MIN_HELD_ANSWER_BYTES = 2 * MAX_ANSWER_BYTES
const tooLittleForAnswer = withFact('must be at least 128MB, or the largest answer could never come in', {
  code: 'below_minimum',
  values: { minimum: '128MB' },
})

const countSchema = z.int({ error: 'must be a whole number' }).positive({ error: 'must be above 0' })
const tooLittleForUpload = withFact(
  'must be at least limits.upload, or the largest upload could never come in',
  {
    code: 'below_field',
    values: { field: 'limits.upload' },
  },
)
const tooLittle = withFact('must be at least limits.body, or the largest body could never come in', {
  code: 'below_field',
  values: { field: 'limits.body' },
})

/** The section `limits`. */
export const limitsSchema = z
  .strictObject({
    body: byteSizeSchema.optional(),
    held_bodies: byteSizeSchema.optional(),
    held_bodies_per_key: byteSizeSchema.optional(),
    held_answers: byteSizeSchema.optional(),
    upload: byteSizeSchema.optional(),
    upload_memory: byteSizeSchema.optional(),
    held_uploads: byteSizeSchema.optional(),
    held_uploads_per_key: byteSizeSchema.optional(),
    connections: countSchema.optional(),
    connections_per_address: countSchema.optional(),
  })
  .superRefine((limits, context) => {
    for (const name of ['held_bodies', 'held_bodies_per_key'] as const) {
      const bytes = limits[name]
      if (bytes === undefined || bytes >= (limits.body ?? DEFAULT_BODY_BYTES)) continue
      context.addIssue({ code: 'custom', path: [name], message: tooLittle })
    }
    for (const name of ['held_uploads', 'held_uploads_per_key'] as const) {
      const bytes = limits[name]
      if (bytes === undefined || bytes >= (limits.upload ?? DEFAULT_UPLOAD_BYTES)) continue
      context.addIssue({ code: 'custom', path: [name], message: tooLittleForUpload })
    }
    if (limits.held_answers !== undefined && limits.held_answers < MAX_ANSWER_BYTES)
      context.addIssue({ code: 'custom', path: ['held_answers'], message: tooLittleForAnswer })
  })

/** Fills in the defaults of the section. */
export function readLimits(
  input: z.output<typeof limitsSchema> | undefined,
  memoryBytes = readMemoryBytes(),
): Limits {
  const bodyBytes = input?.body ?? DEFAULT_BODY_BYTES
  const heldBodyBytes = input?.held_bodies ?? Math.max(partOfMemory(memoryBytes), bodyBytes * MIN_HELD_BODIES)
  // Half of the total, so that another key has room.
  const ofKey = input?.held_bodies_per_key ?? Math.max(Math.ceil(heldBodyBytes / 2), bodyBytes)
  return {
    bodyBytes,
    heldBodyBytes,
    heldBodyBytesOfKey: Math.min(ofKey, heldBodyBytes),
    heldAnswerBytes: input?.held_answers ?? Math.max(partOfMemory(memoryBytes), MIN_HELD_ANSWER_BYTES),
    ...readUploadLimits(input),
    connections: input?.connections ?? DEFAULT_CONNECTIONS,
    connectionsPerAddress: input?.connections_per_address ?? DEFAULT_CONNECTIONS_PER_ADDRESS,
  }
}

/** Rounds to whole units, so that operators read a size such as 3012MB, whose half is also a whole unit. */
function partOfMemory(memoryBytes: number): number {
  return Math.floor((memoryBytes * HELD_PART_OF_MEMORY) / SHOWN_UNIT_BYTES) * SHOWN_UNIT_BYTES
}

function readUploadLimits(
  input: z.output<typeof limitsSchema> | undefined,
): Pick<Limits, 'uploadBytes' | 'uploadMemoryBytes' | 'heldUploadBytes' | 'heldUploadBytesOfKey'> {
  const uploadBytes = input?.upload ?? DEFAULT_UPLOAD_BYTES
  const heldUploadBytes = input?.held_uploads ?? Math.max(DEFAULT_HELD_UPLOAD_BYTES, uploadBytes)
  const ofKey = input?.held_uploads_per_key ?? Math.max(Math.ceil(heldUploadBytes / 2), uploadBytes)
  return {
    uploadBytes,
    uploadMemoryBytes: input?.upload_memory ?? DEFAULT_UPLOAD_MEMORY_BYTES,
    heldUploadBytes,
    heldUploadBytesOfKey: Math.min(ofKey, heldUploadBytes),
  }
}

/** The memory of the machine, or of the container where that is less. */
function readMemoryBytes(): number {
  const allowed = process.constrainedMemory()
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem()
}
