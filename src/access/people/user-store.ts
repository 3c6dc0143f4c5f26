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

/** The end of a page: the value that the list is sorted by, and the ID among equals. */
export interface UserCursor {
  readonly value: string | number
  readonly id: string
}

export interface UserQuery {
  /** A part of the name, in whichever case. */
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
  /** Whether the user manages the group; undefined: the user leaves it. */
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
 * The store of people. Every promise is fulfilled only once the change is durable, and with it the record of who made
 * it. What would leave no active owner fails with `last_owner`. Disabling and deleting a user end the user's sessions
 * and tokens with it.
 */
export interface UserStore {
  hasOwner(): Promise<boolean>
  find(id: UserId): Promise<User | undefined>
  /** Finds a user by name in any case. */
  findByName(name: string): Promise<User | undefined>
  findByIdentity(identity: ExternalIdentity): Promise<User | undefined>
  list(query: UserQuery): Promise<UserPage>
  /** Stores a user who signs up. Fails with `name_taken` or `identity_in_use`. */
  insert(user: User, record: AuditRecord): Promise<void>
  /** Fails with `identity_in_use` where it is another's, or the user has another. False where there is no such user. */
  linkIdentity(id: UserId, identity: LinkedIdentity, record: AuditRecord): Promise<boolean>
  /** Ends the user's other sessions than `except` with it. False where the user has no identity. */
  unlinkIdentity(id: UserId, change: IdentityRemoval): Promise<boolean>
  /**
   * Uses the link up; false where it is not there. Fails with `name_taken` or `identity_in_use`, which leave the link
   * as it was.
   */
  accept(link: LinkId, user: User, record: AuditRecord): Promise<boolean>
  /** Uses the link up and ends the user's sessions; false where the link or the user is not there. */
  acceptReset(link: LinkId, user: UserId, change: PasswordChange): Promise<boolean>
  /** False where there is no such user. */
  change(id: UserId, change: UserChange, record: AuditRecord): Promise<boolean>
  /** Puts the user into a group; undefined takes the user out. False where there is no such user. */
  changeMembership(id: UserId, change: MembershipChange, record: AuditRecord): Promise<boolean>
  /** Takes everybody out of a group that is no more. */
  dropGroup(group: string): Promise<void>
  /** The groups that have members. */
  countMembers(): Promise<readonly GroupMembers[]>
  /** Deletes the user for good; the name stays taken. False where there is no such user. */
  delete(id: UserId, record: AuditRecord): Promise<boolean>
  /** Ends the user's other sessions than `except`. False where there is no such user. */
  changePassword(id: UserId, change: PasswordChange & { readonly except: SessionId }): Promise<boolean>
  /** Stores the same password under other parameters. */
  rehash(id: UserId, before: PasswordHash, password: PasswordHash): Promise<void>
  /** Undefined takes the second factor away, with its recovery codes. */
  changeTotp(id: UserId, totp: UserTotp | undefined, change: TotpChange): Promise<void>
  /** Whether the step is later than the last one that counted, and now counts. */
  useTotpStep(id: UserId, step: number): Promise<boolean>
  /** Whether the code was there, and no longer is. */
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
   * The stored password that the sign-in was checked against; undefined for one by an identity, which must still be
   * linked.
   */
  readonly password: PasswordHash | undefined
  readonly record: AuditRecord
}

export interface SessionStore {
  /**
   * Stores the session, and the time at which the user signed in last. False, and nothing is stored, where the user is
   * gone or disabled, or the password is another by now.
   */
  start(session: Session, start: SessionStart): Promise<boolean>
  find(digest: SecretDigest): Promise<FoundSession | undefined>
  findById(id: SessionId): Promise<FoundSession | undefined>
  use(id: SessionId, atMs: number): Promise<void>
  refresh(id: SessionId, freshUntilMs: number, record: AuditRecord): Promise<void>
  /** Notes that the second factor was shown in the session. */
  showFactor(id: SessionId, record: AuditRecord | undefined): Promise<void>
  /** Lists the newest first, a thousand at most; of all users where none is given. */
  list(user: UserId | undefined): Promise<readonly FoundSession[]>
  /** False where there is no such session. */
  end(id: SessionId, record: AuditRecord): Promise<boolean>
  /** Deletes the sessions that can no longer be used. */
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
  /** Fails with `too_many_tokens` where the owner has as many as there may be. */
  insert(token: Token, record: AuditRecord): Promise<void>
  find(digest: SecretDigest): Promise<FoundToken | undefined>
  findById(id: TokenId): Promise<FoundToken | undefined>
  use(id: TokenId, atMs: number): Promise<void>
  /** Lists the newest first, a thousand at most; of all owners where none is given. */
  list(user: UserId | undefined): Promise<readonly FoundToken[]>
  /** False where there is no such token. */
  delete(id: TokenId, record: AuditRecord): Promise<boolean>
}

/** A link that the gateway makes for itself, at its start, has no record: nobody did it. */
export interface LinkStore {
  insert(link: Link, record: AuditRecord | undefined): Promise<void>
  find(digest: SecretDigest): Promise<Link | undefined>
  findById(id: LinkId): Promise<Link | undefined>
  /** Lists the newest first, a thousand at most. */
  list(): Promise<readonly Link[]>
  delete(id: LinkId, record: AuditRecord | undefined): Promise<boolean>
  deleteExpired(nowMs: number): Promise<void>
}

/** Authorization requests under way. */
export interface AuthorizationStore {
  /** Stores a request. Beyond ten thousand, the oldest are forgotten: anybody may begin one. */
  insert(request: SignOnRequest): Promise<void>
  /**
   * Takes a request out, so that it is used once: of two calls at the same time, one has it. Undefined where there is
   * none of this state in this browser.
   */
  consume(state: SecretDigest, browser: SecretDigest): Promise<SignOnRequest | undefined>
  deleteExpired(nowMs: number): Promise<void>
}

type DecideCounts = (stored: readonly FailureCount[]) => readonly FailureCount[]

/** Failed sign-ins, so that a restart forgets none. */
export interface FailureStore {
  list(): Promise<readonly FailureCount[]>
  write(counts: readonly FailureCount[]): Promise<void>
  /**
   * Writes what `decide` makes of the counts of these subjects, of which no other change reads or writes any meanwhile.
   * Where `decide` throws, nothing is written, and the call fails with its error.
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
