import { z } from 'zod'
import type { KeyId } from '../../../access/key.ts'
import type { NanoDollars } from '../../../canonical/money.ts'
import type { PriceVersionId } from '../../../catalog/prices/price.ts'
import { brand } from '../../../kit/brand.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import type { LedgerRowId } from '../../../kit/random/ids.ts'
import type { LedgerIntent } from '../../../metering/ledger-row.ts'
import { storeUnavailable } from '../../sqlite/store-fault.ts'

const nanoDollarsSchema = z.number().transform((amount) => brand<NanoDollars>(amount))

export const amountSchema = z.object({
  counter: z.string(),
  windowStartMs: z.number(),
  windowEndMs: z.number().optional(),
  amount: nanoDollarsSchema,
})

const intentSchema = z.object({
  id: z.string().transform((id) => brand<LedgerRowId>(id)),
  requestId: z.string(),
  attempt: z.number(),
  keyId: z.string().transform((id) => brand<KeyId>(id)),
  keyName: z.string(),
  /** The name of the user, under the name that the column `user_id` has, too. */
  userId: z.string().optional(),
  group: z.string().optional(),
  tags: z.record(z.string(), z.string()),
  model: z.string(),
  channel: z.string(),
  upstreamModel: z.string(),
  priceVersion: z
    .string()
    .transform((id) => brand<PriceVersionId>(id))
    .optional(),
  startedAtMs: z.number(),
  expiresAtMs: z.number(),
  held: z.array(amountSchema.extend({ counts: z.enum(['charged', 'cost']) })),
  inputTokens: z.number(),
  multiplierPpm: z.number(),
  unseen: z.object({ cost: nanoDollarsSchema, charged: nanoDollarsSchema, isAhead: z.boolean() }).optional(),
})

/** Parses a stored intent. */
export function readIntent(text: string): LedgerIntent {
  const { success, data } = intentSchema.safeParse(tryParseJson(text))
  if (!success) throw storeUnavailable('an intent of the ledger is damaged')
  const held = data.held.map(({ windowEndMs, ...each }) => ({ ...each, windowEndMs }))
  const { userId: userName, group, priceVersion, ...intent } = data
  return { ...intent, userName, group, priceVersion, held }
}
