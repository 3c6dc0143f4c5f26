// Losses of translation as clients of the admin API see them. This file imports no code but zod, so that a browser can
// import it.
import { z } from 'zod'

export const lossSchema = z.object({
  feature: z.string().meta({ description: 'Such as seed; docs/translation/losses.md lists them.' }),
  kind: z.string().meta({ description: 'dropped, approximated or defaulted.' }),
  field: z.string().nullable().meta({ description: 'The field where the feature is too coarse.' }),
})

export type LossView = Readonly<z.output<typeof lossSchema>>
