// The trial of a channel that is not saved, as clients of the admin API see it. This file imports no code but schemas,
// so that a browser can import it.
import { z } from 'zod'
import { listFaultSchema } from '../models/list-fault-contract.ts'
import { wordField } from '../query-fields.ts'
import { checkResultSchema } from './certification-contract.ts'

/** The most names of models that an answer has. */
export const MAX_TRIED_NAMES = 500

export const tryChannelSchema = z.strictObject({
  model: wordField
    .meta({
      description:
        'The model to ask, by its public or its upstream name; the first of those that the channel names unless given. Of a channel that serves what its provider lists, no model is asked unless given.',
    })
    .optional(),
  channel: wordField
    .meta({
      description:
        'A channel of this API, of which the body is a change as in PATCH: what it does not say, secrets among it, is as it is in that channel.',
    })
    .optional(),
})

export const channelTrialSchema = z.object({
  works: z.boolean().meta({ description: 'Whether all that was tried works.' }),
  model_list: z
    .object({
      read: z.boolean(),
      reason: z.string().nullable().meta({ description: 'Why it could not be read, without secrets.' }),
      fact: listFaultSchema.nullable().meta({ description: 'The same as data; null where it has none.' }),
    })
    .nullable()
    .meta({ description: "The provider's list of models; null where the channel does not need it." }),
  models: z
    .array(z.string())
    .meta({ description: `Public names that the channel would serve, ${MAX_TRIED_NAMES} at most.` }),
  more_models: z.number().meta({ description: 'How many more there are.' }),
  model: z.string().nullable().meta({ description: 'The model that was asked; null where none was.' }),
  results: z
    .array(checkResultSchema)
    .meta({ description: 'As of a certification: chat and, where the model refuses it, embeddings.' }),
  credential_accepted: z.boolean().meta({
    description: 'Whether something worked that the provider does not give without the credential.',
  }),
  cost_usd: z.number().nullable().meta({ description: 'What the provider asks; null without a price.' }),
})

export type ChannelTrial = Readonly<z.output<typeof channelTrialSchema>>
