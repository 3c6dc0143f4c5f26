import { z } from 'zod'
import type { RouteFormat } from '../../../../src/admin/models/route-contract.ts'

const text = z.string().optional().catch(undefined)

export const routeFormats = [
  'chat',
  'messages',
  'responses',
  'gemini',
  'completions',
  'embeddings',
] satisfies readonly RouteFormat[]

/** The filters and the dry run of the models page, as stored in the address. */
export const modelSearchSchema = z.object({
  q: text,
  channel: text,
  sort: z.enum(['name', '-name']).optional().catch(undefined),
  view: z.enum(['graph', 'route']).optional().catch(undefined),
  /** The request of the dry run. */
  model: text,
  key: text,
  format: z.enum(routeFormats).optional().catch(undefined),
  stream: z.boolean().optional().catch(undefined),
  /** Whether the form of a new alias is open. */
  add: z.boolean().optional().catch(undefined),
})

export type ModelSearch = z.output<typeof modelSearchSchema>
