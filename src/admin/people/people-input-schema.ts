import { z } from 'zod'
import { flagSchema, nameSchema } from '../../access/key-schema.ts'
import { scopes } from '../../access/people/scope.ts'
import { userSorts } from '../../access/people/user-store.ts'
import { withFact } from '../../kit/schema/input-fact.ts'
import { expirySchema } from '../expiry-schema.ts'
import { pageFields, searchField, sortField } from '../paging/page-fields.ts'
import { roleSchema } from './people-contract.ts'

const MIN_PASSWORD_CHARACTERS = 12
const MAX_PASSWORD_CHARACTERS = 256
const passwordError = `must have ${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} characters`

/**
 * A new password. Only its length is checked, as length is what makes it strong (NIST SP 800-63B-4 §3.1.1.2). No
 * kinds of characters are required.
 */
const newPasswordSchema = z
  .string({ error: passwordError })
  .min(MIN_PASSWORD_CHARACTERS, { error: passwordError })
  .max(MAX_PASSWORD_CHARACTERS, { error: passwordError })

/** A text that a user types to sign in. A longer text cannot be a valid password. */
const typed = (maxCharacters: number) => {
  const error = `must be a text of ${maxCharacters} characters at most`
  return z.string({ error }).max(maxCharacters, { error })
}
const codeSchema = typed(64).meta({
  description: 'Of the authenticator app, or a recovery code; needed where the user has a second factor.',
})
const secretSchema = typed(128).meta({ description: 'Of the link.' })

export const signInSchema = z.strictObject({
  name: typed(256),
  password: typed(MAX_PASSWORD_CHARACTERS),
  code: codeSchema.optional(),
})
export const reauthenticateSchema = z.strictObject({
  password: typed(MAX_PASSWORD_CHARACTERS),
  code: codeSchema.optional(),
})
export const changePasswordSchema = z.strictObject({
  password: typed(MAX_PASSWORD_CHARACTERS),
  new_password: newPasswordSchema,
})
export const showLinkSchema = z.strictObject({ secret: secretSchema })
export const acceptLinkSchema = z.strictObject({
  secret: secretSchema,
  name: nameSchema.optional().meta({ description: 'Of the user; not needed where the link names one.' }),
  password: newPasswordSchema,
})
export const confirmTotpSchema = z.strictObject({ code: codeSchema })

const groupsSchema = z
  .array(z.strictObject({ group: nameSchema, manager: flagSchema.optional() }), {
    error: 'must be a list such as [{ "group": "search", "manager": false }]',
  })
  .max(100, { error: 'must be 100 groups at most' })
  .refine((groups) => new Set(groups.map(({ group }) => group)).size === groups.length, {
    error: withFact('must name each group once', { code: 'repeated', values: {} }),
  })

export const inviteSchema = z.strictObject({
  role: roleSchema,
  groups: groupsSchema.optional(),
  name: nameSchema.optional().meta({ description: 'Absent: the one who accepts chooses.' }),
})

const keysChoiceSchema = z
  .string({ error: 'must be "disable" or "hand-over:<user>"' })
  .regex(/^(disable|hand-over:.{1,64})$/u, { error: 'must be "disable" or "hand-over:<user>"' })
  .meta({
    description:
      'What becomes of the user’s keys: "disable", or "hand-over:<user>" gives them to that user. Must be said where the user has keys that work.',
  })

export const changeUserSchema = z
  .strictObject({
    role: roleSchema.optional(),
    groups: groupsSchema.optional(),
    disabled: flagSchema.optional(),
    keys: keysChoiceSchema.optional(),
  })
  .refine(({ role, groups, disabled }) => [role, groups, disabled].some((field) => field !== undefined), {
    error: withFact('must name a field to change', { code: 'nothing_to_change', values: {} }),
  })
  .refine(({ keys, disabled }) => keys === undefined || disabled === true, {
    path: ['keys'],
    error: withFact('is for disabling a user, so it needs "disabled": true', {
      code: 'needs_field',
      values: { field: 'disabled' },
    }),
  })
export const deleteUserSchema = z.strictObject({ keys: keysChoiceSchema.optional() })

export const listUsersSchema = z.strictObject({
  q: searchField,
  role: roleSchema.optional(),
  group: nameSchema.optional(),
  status: z.enum(['active', 'disabled'], { error: 'must be active or disabled' }).optional(),
  sort: sortField(userSorts),
  ...pageFields,
})

export const listSessionsSchema = z.strictObject({
  user: nameSchema.optional().meta({ description: 'Another user, or "*" for all; for admins.' }),
})
export const listTokensSchema = z.strictObject({
  of: z
    .enum(['me', 'all'], { error: 'must be me or all' })
    .optional()
    .meta({ description: 'Your own unless given; all of them are for admins.' }),
})
export const createTokenSchema = z.strictObject({
  name: nameSchema,
  scopes: z
    .array(z.enum(scopes, { error: `must be one of ${scopes.join(', ')}` }), {
      error: 'must be a list of scopes such as "keys:read"',
    })
    .min(1, { error: 'must name a scope such as "keys:read"' })
    .max(64, { error: 'must be 64 scopes at most' }),
  service: roleSchema.optional().meta({
    description: 'For a program: the role of the token, which then belongs to no user. For admins.',
  }),
  expires_at: expirySchema.optional(),
})

export type SignIn = Readonly<z.input<typeof signInSchema>>
export type Reauthenticate = Readonly<z.input<typeof reauthenticateSchema>>
export type AcceptLink = Readonly<z.input<typeof acceptLinkSchema>>
export type Invite = Readonly<z.input<typeof inviteSchema>>
export type ChangeUser = Readonly<z.input<typeof changeUserSchema>>
export type DeleteUser = Readonly<z.input<typeof deleteUserSchema>>
export type ListUsers = Readonly<z.input<typeof listUsersSchema>>
export type CreateToken = Readonly<z.input<typeof createTokenSchema>>
