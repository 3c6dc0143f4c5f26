// People as clients of the admin API see them. This file imports no code but schemas, so that a browser can import it.
import { z } from 'zod'
import { roles } from '../../access/people/role.ts'
import { authorFactField } from '../audit/actor-contract.ts'
import { nextAfterSchema } from '../paging/page-fields.ts'

const time = z.iso.datetime()
export const roleSchema = z.enum(roles, { error: 'must be owner, admin, viewer or member' })

const membershipSchema = z.object({
  group: z.string(),
  manager: z.boolean().meta({ description: 'Whether the user manages the keys and budgets of the group.' }),
})

const identitySchema = z
  .object({
    issuer: z.string().meta({ description: 'The address of the identity provider.' }),
    subject: z.string().meta({ description: 'Who the user is there.' }),
    email: z.string().nullable().meta({ description: 'As it was when the identity was linked.' }),
    linked_at: time,
  })
  .meta({ description: 'The identity that the user signs in by.' })

export const userViewSchema = z.object({
  id: z.string(),
  name: z.string().meta({ description: 'For good: keys, usage and the audit go by it.' }),
  role: roleSchema,
  groups: z.array(membershipSchema),
  status: z.enum(['active', 'disabled']),
  second_factor: z.boolean().meta({ description: 'Whether sign-in asks for a code.' }),
  password: z.boolean().meta({ description: 'Whether the user has a password.' }),
  identity: identitySchema.nullable(),
  created_at: time,
  created_by: z.string(),
  created_by_fact: authorFactField,
  last_sign_in_at: time.nullable(),
})

export const userListSchema = z.object({
  data: z.array(userViewSchema),
  next_after: nextAfterSchema,
})

const movedKeysSchema = z.object({
  changed: z.number().meta({ description: 'How many keys of the user were disabled or handed over.' }),
  in_file: z.array(z.string()).meta({
    description:
      'Keys of the user that belong to the configuration file and stay as they are until it changes.',
  }),
})

export const changedUserSchema = userViewSchema.extend({ keys: movedKeysSchema.nullable() })
export const deletedUserSchema = z.object({ id: z.string(), name: z.string(), keys: movedKeysSchema })

export const linkViewSchema = z.object({
  id: z.string(),
  type: z
    .enum(['owner', 'invitation', 'reset'])
    .meta({ description: 'Accepting it makes an owner, makes the invited user, or sets a new password.' }),
  role: roleSchema.nullable(),
  groups: z.array(membershipSchema),
  name: z.string().nullable().meta({ description: 'Null where the one who accepts chooses.' }),
  expires_at: time,
})
const listedLinkSchema = linkViewSchema.extend({
  created_at: time,
  created_by: z.string(),
  created_by_fact: authorFactField,
})
export const linkListSchema = z.object({ data: z.array(listedLinkSchema) })
export const createdLinkSchema = linkViewSchema.extend({
  secret: z.string().meta({ description: 'Shown only now. Its holder can use the link, once.' }),
})
export const withdrawnLinkSchema = z.object({ id: z.string() })

const sessionViewSchema = z.object({
  id: z.string(),
  user: z.string(),
  created_at: time,
  last_used_at: time.meta({ description: 'To the minute.' }),
  expires_at: time,
  address: z.string(),
  user_agent: z.string(),
  current: z.boolean().meta({ description: 'Whether it is the session that asks.' }),
})
export const sessionListSchema = z.object({ data: z.array(sessionViewSchema) })
export const endedSessionSchema = z.object({ id: z.string() })

const tokenViewSchema = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().meta({ description: 'The first characters of the token.' }),
  user: z.string().nullable().meta({ description: "Null for a service's token." }),
  role: roleSchema,
  scopes: z.array(z.string()),
  created_at: time,
  created_by: z.string(),
  created_by_fact: authorFactField,
  expires_at: time.nullable(),
  last_used_at: time.nullable().meta({ description: 'To the minute; null where it was never used.' }),
})
export const tokenListSchema = z.object({ data: z.array(tokenViewSchema) })
export const createdTokenSchema = tokenViewSchema.extend({
  secret: z.string().meta({ description: 'The token. Shown only now; it cannot be read again.' }),
})
export const revokedTokenSchema = z.object({ id: z.string() })

export const meSchema = z.object({
  type: z.enum(['admin-token', 'user', 'service']),
  name: z.string(),
  role: roleSchema,
  groups: z.array(membershipSchema),
  scopes: z.array(z.string()).nullable().meta({ description: 'Of a token; null for all others.' }),
  session: z.string().nullable().meta({ description: 'The id of the session that asks.' }),
  fresh_until: time.nullable().meta({
    description: 'Until when what is dangerous needs no password again: POST /admin/v1/reauthenticate.',
  }),
  missing_factor: z.enum(['code', 'enrolment']).nullable().meta({
    description:
      'What the session lacks before it may do anything: a code (POST /admin/v1/sign-in/code), or a second factor (POST /admin/v1/me/totp).',
  }),
  password: z.boolean().meta({ description: 'Whether the user has a password.' }),
  second_factor: z.boolean().meta({ description: 'Whether the user has a second factor here.' }),
  second_factor_required: z
    .boolean()
    .meta({ description: 'Whether the role of the user must have a second factor (sign_in.second_factor).' }),
  identity: identitySchema.nullable(),
})

const callersSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('url'), url: z.string() }),
    z.object({ type: z.literal('port'), port: z.number(), tls: z.boolean() }),
    z.object({ type: z.literal('same-as-this') }),
  ])
  .meta({
    description:
      'Where callers reach the gateway: at url; at port on the host of this request, where the listener is on every interface; or where this request came, also where the system chooses the port.',
  })

export const meWithOperationsSchema = meSchema.extend({
  callers: callersSchema,
  operations: z.array(z.string()).meta({
    description:
      'What the one who asks may call, such as "GET /admin/v1/keys". The password may be needed again first.',
  }),
})

export const signedOutSchema = z.object({ signed_out: z.literal(true) })
export const changedPasswordSchema = z.object({ changed: z.literal(true) })
export const startedTotpSchema = z.object({
  secret: z.string().meta({ description: 'In base32, to type it into an authenticator app.' }),
  uri: z.string().meta({ description: 'What an authenticator app reads from a picture.' }),
})
export const confirmedTotpSchema = z.object({
  recovery_codes: z
    .array(z.string())
    .meta({ description: 'Shown only now. Each lets the user in once, without the app.' }),
})
export const removedTotpSchema = z.object({ second_factor: z.literal(false) })

export type UserView = Readonly<z.output<typeof userViewSchema>>
export type UserList = Readonly<z.output<typeof userListSchema>>
export type ChangedUser = Readonly<z.output<typeof changedUserSchema>>
export type DeletedUser = Readonly<z.output<typeof deletedUserSchema>>
export type MovedKeys = Readonly<z.output<typeof movedKeysSchema>>
export type LinkView = Readonly<z.output<typeof linkViewSchema>>
export type LinkList = Readonly<z.output<typeof linkListSchema>>
export type CreatedLink = Readonly<z.output<typeof createdLinkSchema>>
export type SessionList = Readonly<z.output<typeof sessionListSchema>>
export type TokenView = Readonly<z.output<typeof tokenViewSchema>>
export type TokenList = Readonly<z.output<typeof tokenListSchema>>
export type CreatedToken = Readonly<z.output<typeof createdTokenSchema>>
export type MeWithOperations = Readonly<z.output<typeof meWithOperationsSchema>>
export type Me = Readonly<z.output<typeof meSchema>>
