import type { AuditRecord } from '../../canonical/audit.ts'
import type { SignOnRequest } from './authorization-request.ts'
import type { Link, LinkId } from './link.ts'
import type { SecretDigest } from './opaque-secret.ts'
import type { PasswordHash } from './password.ts'
import type { Role } from './role.ts'
import type { Session, SessionId } from './session.ts'
import type { FailureCount } from './sign-in-throttle.ts'
import type { Token, TokenId } from './token.ts'
import type { ExternalIdentity, LinkedIdentity, Membership, User, UserId, UserTotp } from './user.ts'

export const userSorts = ['name', 'created', 'last_sign_in'] as const
export type UserSort = (typeof userSorts)[number]

/** A cursor at the end of a page: the value that the list is sorted by, and the ID to break ties. */
export interface UserCursor {
  readonly value: string | number
  readonly id: string
}

export interface UserQuery {
  /** A part of the name, in any case. */
  readonly search: string | undefined
  readonly role: Role | undefined
  readonly group: string | undefined
  readonly disabled: boolean | undefined
  readonly sort: UserSort
  readonly descending: boolean
  readonly after: UserCursor | undefined
  readonly limit: number
}

export interface UserPage {
  readonly users: readonly User[]
  /** Undefined on the last page. */
  readonly next: UserCursor | undefined
}

export interface MembershipChange {
  readonly group: string
  /** Whether the user manages the group. Undefined if the user leaves the group. */
  readonly manager: boolean | undefined
}

export interface GroupMembers {
  readonly group: string
  readonly members: number
  /** The names of the managers. */
  readonly managers: readonly string[]
}

export interface UserChange {
  readonly role?: Role
  readonly groups?: readonly Membership[]
  readonly disabled?: boolean
}

/**
 * The store of users. Every promise resolves only after the change and its audit record are durable. A change that
 * would leave no active owner fails with `last_owner`. Disabling or deleting a user also ends the user's sessions and
 * tokens.
 */
export interface UserStore {
  hasOwner(): Promise<boolean>
  find(id: UserId): Promise<User | undefined>
  /** Finds a user by name, ignoring case. */
  findByName(name: string): Promise<User | undefined>
  findByIdentity(identity: ExternalIdentity): Promise<User | undefined>
  list(query: UserQuery): Promise<UserPage>
  /** Stores a user who signs up. Fails with `name_taken` or `identity_in_use`. */
  insert(user: User, record: AuditRecord): Promise<void>
  /**
   * Fails with `identity_in_use` if another user has the identity or this user has another one. False if there is no
   * such user.
   */
  linkIdentity(id: UserId, identity: LinkedIdentity, record: AuditRecord): Promise<boolean>
  /** Removes the identity and ends the user's other sessions than `except`. False if the user has no identity. */
  unlinkIdentity(id: UserId, change: IdentityRemoval): Promise<boolean>
  /**
   * Consumes the link. False if it does not exist. Fails with `name_taken` or `identity_in_use`, and the link then
   * stays valid.
   */
  accept(link: LinkId, user: User, record: AuditRecord): Promise<boolean>
  /** Consumes the link and ends the user's sessions. False if the link or the user does not exist. */
  acceptReset(link: LinkId, user: UserId, change: PasswordChange): Promise<boolean>
  /** False if there is no such user. */
  change(id: UserId, change: UserChange, record: AuditRecord): Promise<boolean>
  /** Puts the user into a group. Undefined removes the user from it. False if there is no such user. */
  changeMembership(id: UserId, change: MembershipChange, record: AuditRecord): Promise<boolean>
  /** Removes all members of a group that no longer exists. */
  dropGroup(group: string): Promise<void>
  /** The groups that have members. */
  countMembers(): Promise<readonly GroupMembers[]>
  /** Deletes the user permanently. The name cannot be used again. False if there is no such user. */
  delete(id: UserId, record: AuditRecord): Promise<boolean>
  /** Ends the user's other sessions than `except`. False if there is no such user. */
  changePassword(id: UserId, change: PasswordChange & { readonly except: SessionId }): Promise<boolean>
  /** Stores the same password, hashed with other parameters. */
  rehash(id: UserId, before: PasswordHash, password: PasswordHash): Promise<void>
  /** Undefined removes the second factor and its recovery codes. */
  changeTotp(id: UserId, totp: UserTotp | undefined, change: TotpChange): Promise<void>
  /** Uses the time step. True if it is later than the last step that was used. */
  useTotpStep(id: UserId, step: number): Promise<boolean>
  /** Consumes the recovery code. True if it was stored. */
  useRecoveryCode(id: UserId, digest: string): Promise<boolean>
}

export interface IdentityRemoval {
  readonly record: AuditRecord
  readonly except: SessionId | undefined
}

export interface PasswordChange {
  readonly password: PasswordHash
  readonly record: AuditRecord
}

export interface TotpChange {
  readonly recoveryDigests: readonly string[]
  /** Undefined for a secret that is not confirmed yet. */
  readonly record: AuditRecord | undefined
}

/** A session with its user, as stored at this moment. */
export interface FoundSession {
  readonly session: Session
  readonly user: User
}

export interface SessionStart {
  /**
   * The stored password that the sign-in was checked against. Undefined for a sign-in by an identity, which must
   * still be linked.
   */
  readonly password: PasswordHash | undefined
  readonly record: AuditRecord
}

export interface SessionStore {
  /**
   * Stores the session and the time of the user's last sign-in. False, without a change, if the user is deleted or
   * disabled, or the password has changed since.
   */
  start(session: Session, start: SessionStart): Promise<boolean>
  find(digest: SecretDigest): Promise<FoundSession | undefined>
  findById(id: SessionId): Promise<FoundSession | undefined>
  use(id: SessionId, atMs: number): Promise<void>
  refresh(id: SessionId, freshUntilMs: number, record: AuditRecord): Promise<void>
  /** Records that the session passed the second factor. */
  showFactor(id: SessionId, record: AuditRecord | undefined): Promise<void>
  /** Lists the newest first, at most a thousand. Undefined lists those of all users. */
  list(user: UserId | undefined): Promise<readonly FoundSession[]>
  /** False if there is no such session. */
  end(id: SessionId, record: AuditRecord): Promise<boolean>
  /** Deletes the sessions that have ended. */
  deleteEnded(nowMs: number): Promise<void>
}

/** The owner of a token: a user as stored at this moment, or a service. */
export type FoundTokenOwner =
  | { readonly type: 'user'; readonly user: User }
  | { readonly type: 'service'; readonly role: Role }

export interface FoundToken {
  readonly token: Token
  readonly owner: FoundTokenOwner
}

export interface TokenStore {
  /** Fails with `too_many_tokens` if the owner already has the maximum number of tokens. */
  insert(token: Token, record: AuditRecord): Promise<void>
  find(digest: SecretDigest): Promise<FoundToken | undefined>
  findById(id: TokenId): Promise<FoundToken | undefined>
  use(id: TokenId, atMs: number): Promise<void>
  /** Lists the newest first, at most a thousand. Undefined lists those of all owners. */
  list(user: UserId | undefined): Promise<readonly FoundToken[]>
  /** False if there is no such token. */
  delete(id: TokenId, record: AuditRecord): Promise<boolean>
}

/** The store of links. A link that the gateway makes at its own start has no audit record, as no person made it. */
export interface LinkStore {
  insert(link: Link, record: AuditRecord | undefined): Promise<void>
  find(digest: SecretDigest): Promise<Link | undefined>
  findById(id: LinkId): Promise<Link | undefined>
  /** Lists the newest first, at most a thousand. */
  list(): Promise<readonly Link[]>
  delete(id: LinkId, record: AuditRecord | undefined): Promise<boolean>
  deleteExpired(nowMs: number): Promise<void>
}

/** The store of authorization requests in progress. */
export interface AuthorizationStore {
  /** Stores a request. Beyond ten thousand, the oldest are deleted, as anybody may start one. */
  insert(request: SignOnRequest): Promise<void>
  /**
   * Removes and returns a request, so that it is used once: only one of two concurrent calls gets it. Undefined if
   * this browser has no request with this state.
   */
  consume(state: SecretDigest, browser: SecretDigest): Promise<SignOnRequest | undefined>
  deleteExpired(nowMs: number): Promise<void>
}

type DecideCounts = (stored: readonly FailureCount[]) => readonly FailureCount[]

/** The store of failed sign-ins, so that counts survive a restart. */
export interface FailureStore {
  list(): Promise<readonly FailureCount[]>
  write(counts: readonly FailureCount[]): Promise<void>
  /**
   * Writes the counts that `decide` returns for these subjects. No other change reads or writes them at the same
   * time. If `decide` throws, nothing is written, and the call fails with that error.
   */
  change(subjects: readonly string[], decide: DecideCounts): Promise<void>
}

export interface PeopleStores {
  readonly users: UserStore
  readonly sessions: SessionStore
  readonly tokens: TokenStore
  readonly links: LinkStore
  readonly failures: FailureStore
  readonly authorizations: AuthorizationStore
}
