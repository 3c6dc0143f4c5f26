// Nodes as clients of the admin API see them. This file imports no code but zod, so that a browser can import it.
import { z } from 'zod'

const nodeViewSchema = z.object({
  name: z.string().meta({ description: 'The host, and the id of the process on it.' }),
  version: z.string().meta({ description: 'The version of Headgate.' }),
  is_this: z.boolean().meta({ description: 'Whether this is the node that answers this request.' }),
  started_at: z.iso.datetime(),
  seen_at: z.iso.datetime().meta({
    description: 'When it last said that it lives; every 5 s. After 20 s of silence it is no longer listed.',
  }),
  state: z.enum(['ready', 'draining', 'not-ready']),
  streams: z.number().meta({ description: 'Requests in progress.' }),
  leases: z.number().meta({ description: 'Parts of budgets that it has leased.' }),
  config_version: z.number().nullable().meta({
    description: 'The version of the configuration that it serves, 0 for the file alone; null if unknown.',
  }),
  file_fingerprint: z.string().meta({
    description:
      'Of its configuration file apart from `listen` and `data`; nodes whose files say the same have the same.',
  }),
  file_differs: z.boolean().meta({
    description:
      'Whether its file is not that of most nodes; where no file has most, not that of the oldest node.',
  }),
  clock_ahead_ms: z.number().meta({ description: 'By which its clock is ahead of the database’s.' }),
})

export const nodeListSchema = z.object({
  store: z.enum(['sqlite', 'postgres']),
  data: z.array(nodeViewSchema).meta({ description: 'The oldest first.' }),
  files_differ: z.boolean(),
  config_versions_differ: z.boolean().meta({
    description: 'Also for the seconds that a change takes to reach every node.',
  }),
})

export type NodeView = Readonly<z.output<typeof nodeViewSchema>>
export type NodeList = Readonly<z.output<typeof nodeListSchema>>
