import type { AuthorizationPurpose } from '../../access/people/authorization-request.ts'
import type { LinkPurpose } from '../../access/people/link.ts'
import type { Role } from '../../access/people/role.ts'

export interface UserTable {
  id: string
  name: string
  /** The normalized form of the name, which is unique and used for lookups. */
  folded_name: string
  role: Role
  disabled: number
  /** Empty where the user has no password. */
  password: string
  totp_secret: string | null
  totp_confirmed: number
  totp_step: number
  created_at_ms: number
  created_by: string
  /** 0 if the user never signed in. */
  last_sign_in_at_ms: number
  /** The row of a deleted user stays, and with it the name. */
  deleted_at_ms: number | null
}

export interface UserGroupTable {
  user_id: string
  group_name: string
  manager: number
}

export interface RecoveryCodeTable {
  user_id: string
  digest: string
}

export interface SessionTable {
  id: string
  digest: string
  user_id: string
  created_at_ms: number
  last_used_at_ms: number
  expires_at_ms: number
  fresh_until_ms: number
  second_factor: number
  address: string
  user_agent: string
}

export interface TokenTable {
  id: string
  digest: string
  hint: string
  name: string
  /** The user that a personal token belongs to. For a token of a service, the next field names the service. */
  user_id: string | null
  role: Role | null
  /** A JSON array. */
  scopes: string
  created_at_ms: number
  created_by: string
  expires_at_ms: number | null
  last_used_at_ms: number | null
}

export interface LinkTable {
  id: string
  digest: string
  type: LinkPurpose['type']
  /** The role that an invitation grants; `groups` has its groups as a JSON array. */
  role: Role | null
  groups: string
  name: string | null
  /** The user whose password is reset. */
  user_id: string | null
  created_at_ms: number
  created_by: string
  expires_at_ms: number
}

export interface SignInFailureTable {
  subject: string
  failures: number
  last_at_ms: number
}

export interface IdentityTable {
  user_id: string
  issuer: string
  subject: string
  email: string | null
  linked_at_ms: number
}

export interface AuthorizationTable {
  state_digest: string
  browser_digest: string
  purpose: AuthorizationPurpose['type']
  link_id: string | null
  /** `session_id` and `user_id` are either both set or both null. */
  session_id: string | null
  user_id: string | null
  redirect_uri: string
  return_to: string
  created_at_ms: number
  expires_at_ms: number
}

export interface PeopleTables {
  identities: IdentityTable
  authorizations: AuthorizationTable
  users: UserTable
  user_groups: UserGroupTable
  recovery_codes: RecoveryCodeTable
  sessions: SessionTable
  tokens: TokenTable
  links: LinkTable
  sign_in_failures: SignInFailureTable
}
