// Single sign-on as clients of the admin API see it. This file imports no code but schemas, so that a browser can
// import it.
import { z } from 'zod'

export const signInMethodsSchema = z.object({
  password: z.boolean().meta({ description: 'Whether everybody may use a password; owners always may.' }),
  oidc: z
    .object({ label: z.string().meta({ description: 'The name of the identity provider.' }) })
    .nullable()
    .meta({ description: 'Null where there is no single sign-on.' }),
})

export const begunSignOnSchema = z.object({
  url: z.string().meta({ description: 'The page of the identity provider, where the browser goes next.' }),
})

/** Both fields are optional. */
export const beginSignOnSchema = z.strictObject({
  link: z
    .string({ error: 'must be a text of 128 characters at most' })
    .max(128, { error: 'must be a text of 128 characters at most' })
    .optional()
    .meta({ description: 'The secret of a link to accept: an invitation, or the link to an owner.' }),
  return_to: z
    .string({ error: 'must be a page of the console, such as "keys"' })
    .max(1_000, { error: 'must have 1,000 characters at most' })
    .optional()
    .meta({ description: 'The page of the console to go on with, below its root.' }),
})

export const finishedSignOnSchema = z.object({
  outcome: z.enum(['signed-in', 'linked', 'reauthenticated', 'refused']),
  error: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .meta({ description: 'Why it was refused.' }),
})

export const showFactorSchema = z.strictObject({
  code: z
    .string({ error: 'must be a text of 64 characters at most' })
    .max(64, { error: 'must be a text of 64 characters at most' })
    .meta({ description: 'Of the authenticator app, or a recovery code.' }),
})

export type SignInMethods = Readonly<z.output<typeof signInMethodsSchema>>
export type BeginSignOn = Readonly<z.input<typeof beginSignOnSchema>>
export type FinishedSignOn = Readonly<z.output<typeof finishedSignOnSchema>>
