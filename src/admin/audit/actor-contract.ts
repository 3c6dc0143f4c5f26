// Who did something, as clients of the admin API see it. This file imports no code but schemas, so that a browser can
// import it.
import { z } from 'zod'

export const plainAuthors = [
  'admin_token',
  'command_line',
  'configuration_file',
  'first_start',
  'identity_provider',
  'reload_signal',
] as const

export const plainCredentials = [
  'session',
  'admin_token',
  'data_folder',
  'claims',
  'link',
  'single_sign_on',
  'password',
  'password_and_code',
  'password_and_recovery_code',
] as const

const authorSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(plainAuthors) }),
  z.object({ type: z.enum(['user', 'service']), name: z.string() }),
])

/** The author of an object, as data. */
export const authorFactField = authorSchema.meta({ description: 'The same as data.' })

export const actorSchema = z.object({
  author: authorSchema,
  credential: z
    .discriminatedUnion('type', [
      z.object({ type: z.enum(plainCredentials) }),
      z.object({ type: z.literal('token'), name: z.string() }),
      z.object({ type: z.literal('text'), text: z.string() }),
    ])
    .nullable()
    .meta({ description: 'Null if nobody asked for one; text where it is known as words alone.' }),
  is_this_machine: z.boolean().meta({ description: 'Whether it was done on the machine of the gateway.' }),
})

export type AuthorFact = Readonly<z.output<typeof authorSchema>>
export type ActorView = Readonly<z.output<typeof actorSchema>>
