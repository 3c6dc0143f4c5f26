// Captured prompts and answers as clients of the admin API see them. By value this file imports no code but zod and
// fields, so that a browser can import it.
import { z } from 'zod'
import { nextAfterSchema, pageFields } from '../paging/page-fields.ts'
import { momentField, wordField } from '../query-fields.ts'
import { captureModeSchema } from './capture-fields.ts'

const time = z.iso.datetime()

const filters = {
  key: wordField.meta({ description: "A key's id or name." }).optional(),
  since: momentField.optional(),
  until: momentField.optional(),
}

export const listCapturesSchema = z.strictObject({ ...pageFields, ...filters })
export const exportCapturesSchema = z.strictObject(filters)
export const deleteCapturesSchema = z.strictObject({
  key: wordField.meta({ description: "A key's id or name." }),
})

const captureSummarySchema = z.object({
  request_id: z.string(),
  key_id: z.string(),
  key: z.string().meta({ description: 'The name that the key had.' }),
  user: z.string().nullable(),
  group: z.string().nullable(),
  model: z.string().nullable(),
  operation: z.string(),
  status: z.number(),
  at: time.meta({ description: 'When the request ended.' }),
  has_prompt: z.boolean(),
  has_answer: z.boolean(),
})

export const captureListSchema = z.object({
  data: z.array(captureSummarySchema),
  next_after: nextAfterSchema,
})

const bodySchema = z.object({
  text: z.string().meta({ description: 'With secrets, and what the patterns match, taken out.' }),
  bytes: z.number().meta({ description: 'Its size on the wire.' }),
  truncated: z.boolean().meta({ description: 'Whether the text is the beginning alone.' }),
})

export const captureViewSchema = captureSummarySchema.extend({
  readable: z.boolean().meta({ description: 'false: it was sealed with another secret.' }),
  prompt: bodySchema.nullable(),
  answer: bodySchema
    .extend({
      form: z
        .enum(['folded', 'raw'])
        .meta({ description: 'folded: what the events of a stream add up to; raw: as it went out.' }),
      stream: z.boolean(),
      cut: z.boolean().meta({ description: 'Whether it broke off: the caller saw this much of it.' }),
    })
    .nullable(),
})

export const captureStatusSchema = z.object({
  on: z.boolean().meta({ description: 'Whether anything of anybody is captured.' }),
  bodies: captureModeSchema.meta({ description: 'Of every caller without an entry of its own.' }),
  keys: z.record(z.string(), captureModeSchema),
  groups: z.record(z.string(), captureModeSchema),
  max_body: z.number().meta({ description: 'Bytes.' }),
  keep: z.string(),
  max_bytes: z.number(),
  patterns: z.number().meta({ description: 'How many patterns are taken out.' }),
  stored: z.object({ count: z.number(), bytes: z.number() }),
})

export const deletedCapturesSchema = z.object({ deleted: z.number() })

export type CaptureSummaryView = Readonly<z.output<typeof captureSummarySchema>>
export type CaptureList = Readonly<z.output<typeof captureListSchema>>
export type CaptureView = Readonly<z.output<typeof captureViewSchema>>
export type CaptureStatus = Readonly<z.output<typeof captureStatusSchema>>
export type ListCaptures = Readonly<z.input<typeof listCapturesSchema>>
export type ExportCaptures = Readonly<z.input<typeof exportCapturesSchema>>
