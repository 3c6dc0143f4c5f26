import { z } from 'zod'
import {
  type ChangedUser,
  type CreatedLink,
  type CreatedToken,
  changedUserSchema,
  createdLinkSchema,
  createdTokenSchema,
  type DeletedUser,
  deletedUserSchema,
  type LinkList,
  type LinkView,
  linkListSchema,
  linkViewSchema,
  type SessionList,
  sessionListSchema,
  type TokenList,
  tokenListSchema,
  type UserList,
  type UserView,
  userListSchema,
  userViewSchema,
} from '../../admin/people/people-contract.ts'
import type {
  AcceptLink,
  ChangeUser,
  CreateToken,
  DeleteUser,
  Invite,
  ListUsers,
} from '../../admin/people/people-input-schema.ts'
import type { PeopleOperations } from '../../admin/people/people-operations.ts'
import type { SignOnOperations } from '../../admin/sign-on/sign-on-operations.ts'
import type { CallServer } from '../remote/call-server.ts'

/** The operations of commands on people, through the running server or on the data folder. */
export interface PeopleClient {
  list(query: ListUsers): Promise<UserList>
  get(user: string): Promise<UserView>
  change(user: string, change: ChangeUser): Promise<ChangedUser>
  delete(user: string, choice: DeleteUser): Promise<DeletedUser>
  invite(input: Invite): Promise<CreatedLink>
  inviteOwner(): Promise<CreatedLink>
  reset(user: string): Promise<CreatedLink>
  removeSecondFactor(user: string): Promise<void>
  /** Shows what a link does. */
  showLink(secret: string): Promise<LinkView>
  unlinkIdentity(user: string): Promise<UserView>
  accept(input: AcceptLink): Promise<UserView>
  links(): Promise<LinkList>
  withdraw(link: string): Promise<void>
  sessions(user: string | undefined): Promise<SessionList>
  endSession(session: string): Promise<void>
  tokens(): Promise<TokenList>
  createToken(input: CreateToken): Promise<CreatedToken>
  revokeToken(token: string): Promise<void>
}

const anything = z.looseObject({})
const segment = encodeURIComponent

export function createRemotePeople(call: CallServer): PeopleClient {
  const one = (user: string) => `/users/${segment(user)}`
  const search = (query: object) => {
    const fields = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) fields.set(name, String(value))
    return fields.size === 0 ? '' : `?${fields}`
  }
  return {
    list: (query) => call({ method: 'GET', path: `/users${search(query)}` }, userListSchema),
    get: (user) => call({ method: 'GET', path: one(user) }, userViewSchema),
    change: (user, body) => call({ method: 'PATCH', path: one(user), body }, changedUserSchema),
    delete: (user, choice) =>
      call({ method: 'DELETE', path: `${one(user)}${search(choice)}` }, deletedUserSchema),
    invite: (body) => call({ method: 'POST', path: '/users/invite', body }, createdLinkSchema),
    inviteOwner: () => call({ method: 'POST', path: '/users/invite-owner', body: {} }, createdLinkSchema),
    reset: (user) => call({ method: 'POST', path: `${one(user)}/reset-link`, body: {} }, createdLinkSchema),
    removeSecondFactor: async (user) =>
      void (await call({ method: 'DELETE', path: `${one(user)}/totp` }, anything)),
    showLink: (secret) => call({ method: 'POST', path: '/links/show', body: { secret } }, linkViewSchema),
    unlinkIdentity: (user) => call({ method: 'DELETE', path: `${one(user)}/identity` }, userViewSchema),
    accept: (body) => call({ method: 'POST', path: '/links/accept', body }, userViewSchema),
    links: () => call({ method: 'GET', path: '/links' }, linkListSchema),
    withdraw: async (link) =>
      void (await call({ method: 'DELETE', path: `/links/${segment(link)}` }, anything)),
    sessions: (user = '*') =>
      call({ method: 'GET', path: `/sessions${search({ user })}` }, sessionListSchema),
    endSession: async (session) =>
      void (await call({ method: 'DELETE', path: `/sessions/${segment(session)}` }, anything)),
    tokens: () => call({ method: 'GET', path: '/tokens?of=all' }, tokenListSchema),
    createToken: (body) => call({ method: 'POST', path: '/tokens', body }, createdTokenSchema),
    revokeToken: async (token) =>
      void (await call({ method: 'DELETE', path: `/tokens/${segment(token)}` }, anything)),
  }
}

const thisMachine = 'this machine'
/** The actor of commands on the data folder. Anyone who can read the folder has all rights. */
const commandLine = {
  principal: { type: 'admin-token' },
  actor: { author: 'command line', credential: 'data folder', address: thisMachine },
} as const

export function createLocalPeople(
  { users, links, access, secondFactor }: PeopleOperations,
  signOn: SignOnOperations,
): PeopleClient {
  return {
    list: (query) => users.list(query),
    get: (user) => users.get(user),
    change: (user, change) => users.change(user, change, commandLine),
    delete: (user, choice) => users.delete(user, choice, commandLine),
    invite: (input) => links.invite(input, commandLine),
    inviteOwner: () => links.inviteOwner(commandLine),
    reset: (user) => links.reset(user, commandLine),
    removeSecondFactor: (user) => secondFactor.remove(user, commandLine),
    showLink: (secret) => links.show({ secret }, thisMachine),
    unlinkIdentity: (user) => signOn.unlink(user, commandLine),
    accept: (input) => links.accept(input, thisMachine),
    links: () => links.list(),
    withdraw: async (link) => void (await links.withdraw(link, commandLine)),
    sessions: (user = '*') => access.listSessions({ user }, commandLine),
    endSession: async (session) => void (await access.endSession(session, commandLine)),
    tokens: () => access.listTokens({ of: 'all' }, commandLine),
    createToken: (input) => access.createToken(input, commandLine),
    revokeToken: async (token) => void (await access.revokeToken(token, commandLine)),
  }
}
