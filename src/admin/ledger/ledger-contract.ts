// The ledger's rows as clients of the admin API see them. This file imports no code but schemas, so that a browser can
// import it.
import { z } from 'zod'
import { wholeNumberField, wordField } from '../query-fields.ts'
import { usageSchema } from '../usage-fields.ts'
import { moneyFields, spanFields, subjectQueryFields } from './ledger-fields.ts'

const time = z.iso.datetime()
const text = z.string().nullable()

const state = z
  .enum(['settled', 'estimated', 'void'], { error: 'must be settled, estimated or void' })
  .meta({ description: 'estimated: a number is counted by us; void: nothing was billed.' })

export const listRowsSchema = z.strictObject({
  ...subjectQueryFields,
  state: state.optional(),
  ...spanFields,
  request_id: wordField
    .meta({ description: 'The attempts of this request and what corrects them, in order; alone.' })
    .optional(),
  limit: wholeNumberField(1, 500).meta({ description: 'Default 50.' }).optional(),
  before: wholeNumberField(0, Number.MAX_SAFE_INTEGER)
    .meta({ description: 'Rows with a lower number.' })
    .optional(),
})

export const exportRowsSchema = z.strictObject({
  format: z
    .enum(['csv', 'jsonl'], { error: 'must be csv or jsonl' })
    .meta({ description: 'csv if absent; jsonl: a JSON object on each line.' })
    .optional(),
  ...subjectQueryFields,
  state: state.optional(),
  ...spanFields,
})

const ledgerRowSchema = z.object({
  number: z.number().meta({ description: 'Increases in the order in which rows were written.' }),
  id: z.string(),
  request_id: z.string(),
  attempt: z.number().meta({ description: 'From 1.' }),
  ended_at: time,
  duration_ms: z.number(),
  key_id: z.string(),
  key: z.string().meta({ description: 'What the key was called then.' }),
  user: text,
  group: text,
  tags: z.record(z.string(), z.string()),
  model: z.string(),
  channel: z.string(),
  upstream_model: z.string(),
  price_version: text.meta({ description: 'null: the model had no price.' }),
  state,
  tier: z.string(),
  usage: usageSchema,
  ...moneyFields,
  flags: z.array(z.string()).meta({
    description: 'clamped, failed, usage_missing, recovered, unpriced, orphaned: settled after a crash.',
  }),
  corrects: text.meta({
    description: 'The id of the row that this one corrects: what is added to it, which may be below zero.',
  }),
})

export const rowListSchema = z.object({
  data: z.array(ledgerRowSchema),
  has_more: z.boolean().meta({ description: 'A page may be short, or empty, and yet not be the last.' }),
  next: z.number().nullable().meta({ description: '`before` for the next page; null on the last page.' }),
})

export const ledgerCheckSchema = z.object({
  adds_up: z.boolean(),
  rows: z.number(),
  pruned_rows: z.number().meta({ description: 'Rows of which retention left only the sums.' }),
  windows: z.number().meta({ description: 'Windows of budgets, each compared with its rows.' }),
  open_intents: z.number().meta({ description: 'Attempts in progress that hold money.' }),
  difference_count: z.number(),
  differences: z.array(z.string()).meta({ description: 'At most 1000 of them.' }),
})

export type LedgerRowView = Readonly<z.output<typeof ledgerRowSchema>>
export type RowList = Readonly<z.output<typeof rowListSchema>>
export type LedgerCheckView = Readonly<z.output<typeof ledgerCheckSchema>>
/** The filters as clients write them. */
export type ListRows = Readonly<z.input<typeof listRowsSchema>>
export type ExportRows = Readonly<z.input<typeof exportRowsSchema>>

/** The operations that read the ledger. */
export interface LedgerOperations {
  /** Lists the newest first. */
  list(query: ListRows): Promise<RowList>
  /** Exports the oldest first, without a limit. Resources are freed when the stream is read to its end or abandoned. */
  export(query: ExportRows): Promise<AsyncIterable<Buffer>>
  verify(): Promise<LedgerCheckView>
}
