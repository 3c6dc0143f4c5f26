// The playground as clients of the admin API see it. This file imports no code but schemas, so that a browser can
// import it.
import { z } from 'zod'

const name = z.string().min(1).max(256)

export const playgroundRequestSchema = z.strictObject({
  request: z
    .record(z.string(), z.unknown(), { error: 'must be the body of a chat completion' })
    .meta({ description: 'The body of POST /v1/chat/completions, with its model.' }),
  channel: name.meta({ description: 'The only channel that may answer; for owners and admins.' }).optional(),
  group: name
    .meta({
      description:
        'The group that is charged and whose limits apply. Of a member the first of their groups that grants the model, unless given.',
    })
    .optional(),
})

export type PlaygroundInput = Readonly<z.output<typeof playgroundRequestSchema>>
