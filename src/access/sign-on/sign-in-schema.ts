import { z } from 'zod'
import { offSchema } from '../../kit/schema/off-schema.ts'
import { createDurationSchema } from '../../kit/time/duration-schema.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/time/time-units.ts'
import { nameSchema } from '../key-schema.ts'
import { roles } from '../people/role.ts'
import type { OidcPolicy, SignInPolicy } from './sign-in-policy.ts'

const DEFAULT_SESSION_MS = 12 * HOUR_MS
const MAX_ENTRIES = 1_000

const addressError = 'must be an http or https address without user, password, query and fragment'
const claimSchema = z
  .string({ error: 'must be the name of a claim, such as "groups"' })
  .min(1, { error: 'must be the name of a claim, such as "groups"' })
  .max(256, { error: 'must be the name of a claim, of 256 characters at most' })
const scopeError = 'must be a scope, such as "email": printable characters without spaces'
const scopeSchema = z
  .string({ error: scopeError })
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/, { error: scopeError })
const roleNameSchema = z.enum(roles, { error: `must be one of ${roles.join(', ')}` })

const membershipSchema = z
  .union(
    [
      nameSchema.transform((group) => ({ group, manager: false })),
      z.strictObject({
        group: nameSchema,
        manager: z.boolean({ error: 'must be true or false' }).optional(),
      }),
    ],
    {
      error: 'must be a group, or a group and whether its manager, such as { group: search, manager: true }',
    },
  )
  .transform(({ group, manager = false }) => ({ group, manager }))

const domainSchema = z
  .string({ error: 'must be a domain, such as example.com' })
  .regex(/^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)+$/i, {
    error: 'must be a domain, such as example.com, without an "@"',
  })
  .transform((domain) => domain.toLowerCase())

const oidcSchema = z
  .strictObject(
    {
      issuer: z.string({ error: addressError }).refine(isIssuer, { error: addressError }),
      client_id: z.string({ error: 'must be a text' }).min(1, { error: 'must not be empty' }),
      client_secret: z.string({ error: 'must be a text; put it in quotes' }).min(1, {
        error: 'must not be empty',
      }),
      label: z
        .string({ error: 'must be a text' })
        .regex(/^[^\p{C}]{1,40}$/u, { error: 'must be 1 to 40 printable characters' })
        .optional(),
      scopes: z.array(scopeSchema, { error: 'must be a list, such as [openid, email]' }).max(32).optional(),
      name_claim: claimSchema.optional(),
      role_claim: claimSchema.optional(),
      roles: z.record(z.string(), roleNameSchema, { error: 'must be a map of values to roles' }).optional(),
      default_role: z
        .enum(['admin', 'viewer', 'member'], { error: 'must be admin, viewer or member' })
        .optional(),
      group_claim: claimSchema.optional(),
      groups: z
        .record(z.string(), membershipSchema, { error: 'must be a map of values to groups' })
        .optional(),
      domains: z
        .array(domainSchema, { error: 'must be a list of domains, such as [example.com]' })
        .max(MAX_ENTRIES)
        .optional(),
      trust_email: z.boolean({ error: 'must be true or false' }).optional(),
      second_factor: z.literal('provider', { error: 'must be "provider", or be left out' }).optional(),
      session: createDurationSchema({
        minMs: 5 * MINUTE_MS,
        maxMs: 30 * DAY_MS,
        range: '5m and 30d',
      }).optional(),
      refused_keys: z
        .string({ error: 'must be "disable" or "hand-over:<user>"' })
        .regex(/^(?:disable|hand-over:.{1,64})$/u, { error: 'must be "disable" or "hand-over:<user>"' })
        .optional(),
      allow_private: z.boolean({ error: 'must be true or false' }).optional(),
      proxy: z.string({ error: 'must be the address of a proxy, such as "http://proxy:3128"' }).optional(),
    },
    { error: 'must name a provider, such as { issuer: "https://…", client_id: …, client_secret: … }' },
  )
  .transform((oidc): OidcPolicy => {
    const { issuer, client_id, client_secret, scopes = ['email', 'profile'] } = oidc
    return {
      issuer,
      clientId: client_id,
      clientSecret: client_secret,
      label: oidc.label,
      scopes: [...new Set(['openid', ...scopes])],
      nameClaim: oidc.name_claim ?? 'email',
      roleClaim: oidc.role_claim,
      roles: oidc.roles === undefined ? undefined : new Map(Object.entries(oidc.roles)),
      defaultRole: oidc.default_role ?? (oidc.role_claim === undefined ? 'member' : undefined),
      groupClaim: oidc.group_claim,
      groups: oidc.groups === undefined ? undefined : new Map(Object.entries(oidc.groups)),
      domains: oidc.domains ?? [],
      trustsEmail: oidc.trust_email ?? false,
      trustsSecondFactor: oidc.second_factor === 'provider',
      sessionMs: oidc.session ?? DEFAULT_SESSION_MS,
      refusedKeys: oidc.refused_keys ?? 'disable',
      allowPrivate: oidc.allow_private ?? false,
      proxy: oidc.proxy,
    }
  })

/** The section `sign_in`. */
export const signInSectionSchema = z
  .strictObject(
    {
      password: z
        .union([offSchema, z.literal('on'), z.literal(true)], { error: 'must be on or off' })
        .optional(),
      second_factor: z
        .array(roleNameSchema, { error: 'must be a list of roles, such as [owner, admin]' })
        .optional(),
      oidc: oidcSchema.optional(),
    },
    { error: 'must be a map, such as { second_factor: [owner], oidc: { … } }' },
  )
  .refine(({ password, oidc }) => oidc !== undefined || (password !== 'off' && password !== false), {
    path: ['password'],
    error: 'can be off only beside "oidc": nobody could sign in',
  })
  .transform(
    ({ password, second_factor = [], oidc }): SignInPolicy => ({
      password: password !== 'off' && password !== false,
      secondFactorRoles: [...new Set(second_factor)],
      oidc,
    }),
  )

/** Accepts plain HTTP as well. It is meant for a private network, which `allow_private` permits. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(text)
}
