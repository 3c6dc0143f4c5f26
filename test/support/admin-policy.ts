/**
 * The policy of every operation of the admin API, written down once more: nothing here is made from the source, so that
 * a policy which changes there, or a route that is new, has to be decided on here.
 *
 * The columns: method, path below `/admin/v1`, who, scope of a token, and what needs a recent password: `always`, or
 * `address` where the body has a field that leads a channel's traffic or keys elsewhere.
 *
 * - `anybody`: without being signed in
 * - `self`: signed-in users, about themselves, by session; `self,token` by a token as well
 * - `own`: everybody, members about their own; what changes something is not for viewers
 * - `readers`: owner, admin and viewer; `admins`: owner and admin; `owners`
 */
const statement = `
GET     /keys                                own         keys
POST    /keys                                own         keys
GET     /keys/{id}                           own         keys
PATCH   /keys/{id}                           own         keys
DELETE  /keys/{id}                           own         keys
POST    /keys/{id}/rotate                    own         keys
POST    /keys/{id}/preview                   own         keys
GET     /config                              readers     config
PUT     /config                              admins      config      always
POST    /config/check                        admins      config
POST    /config/preview                      admins      config
GET     /config/versions                     readers     config
GET     /config/versions/{version}           readers     config
GET     /config/versions/{version}/diff      readers     config
GET     /config/schema                       readers     config
GET     /settings                            readers     config
PUT     /settings/{name}                     admins      config      always
PATCH   /settings/{name}                     admins      config      always
DELETE  /settings/{name}                     admins      config      always
GET     /providers                           readers     channels
GET     /catalog                             own         models
POST    /playground/completions              own         playground:write
POST    /route                               readers     models:read
POST    /config/versions/{version}/restore   admins      config      always
POST    /config/undo                         admins      config      always
GET     /config/versions/{version}/restore   readers     config
GET     /config/versions/{version}/undo      readers     config
POST    /config/versions/{version}/undo      admins      config      always
GET     /drafts                              readers     config
POST    /drafts                              admins      config
GET     /drafts/{id}                         readers     config
PATCH   /drafts/{id}                         admins      config
DELETE  /drafts/{id}                         admins      config
POST    /drafts/{id}/{kind}/{name}           admins      config
PUT     /drafts/{id}/{kind}/{name}           admins      config
PATCH   /drafts/{id}/{kind}/{name}           admins      config
DELETE  /drafts/{id}/{kind}/{name}           admins      config
POST    /drafts/{id}/rebase                  admins      config
POST    /drafts/{id}/apply                   admins      config      always
GET     /channels                            readers     channels
POST    /channels                            admins      channels    address
POST    /channel-trials                      admins      channels    address
GET     /channels/{name}                     readers     channels
PUT     /channels/{name}                     admins      channels    always
PATCH   /channels/{name}                     admins      channels    address
DELETE  /channels/{name}                     admins      channels
POST    /channels/{name}/disable             admins      channels
POST    /channels/{name}/enable              admins      channels
GET     /channels/{name}/certification-plan  readers     channels
POST    /channels/{name}/certifications      admins      channels
GET     /certifications                      readers     channels
GET     /certifications/{id}                 readers     channels
POST    /certifications/{id}/cancel          admins      channels
GET     /models                              readers     models
POST    /models                              admins      models
GET     /models/{name}                       readers     models
PUT     /models/{name}                       admins      models
PATCH   /models/{name}                       admins      models
DELETE  /models/{name}                       admins      models
GET     /groups                              own         groups
POST    /groups                              admins      groups
GET     /groups/{name}                       own         groups
PUT     /groups/{name}                       admins      groups
PATCH   /groups/{name}                       admins      groups
DELETE  /groups/{name}                       admins      groups
GET     /groups/{name}/members               own         groups
PUT     /groups/{name}/members/{user}        admins      users       always
DELETE  /groups/{name}/members/{user}        admins      users       always
GET     /user-limits                         readers     users
POST    /user-limits                         admins      users
GET     /user-limits/{name}                  readers     users
PUT     /user-limits/{name}                  admins      users
PATCH   /user-limits/{name}                  admins      users
DELETE  /user-limits/{name}                  admins      users
GET     /requests                            own         requests
GET     /requests/{request_id}               own         requests
GET     /callers                             own         requests
GET     /traffic                             own         requests
GET     /health                              readers     health
POST    /health/reset                        admins      health
GET     /nodes                               readers     health
GET     /alerts                              readers     alerts
GET     /alerts/receivers                    readers     alerts
GET     /alerts/rules                        readers     alerts
GET     /alerts/{id}                         readers     alerts
POST    /alerts/{id}/acknowledge             admins      alerts
POST    /alerts/{id}/mute                    admins      alerts
DELETE  /alerts/{id}/mute                    admins      alerts
POST    /alerts/test                         admins      alerts
PUT     /alerts/rules/{name}                 admins      alerts      always
PATCH   /alerts/rules/{name}                 admins      alerts      always
DELETE  /alerts/rules/{name}                 admins      alerts      always
PUT     /alerts/receivers/{name}             admins      alerts      always
PATCH   /alerts/receivers/{name}             admins      alerts      always
DELETE  /alerts/receivers/{name}             admins      alerts      always
GET     /capture                             readers     captures
GET     /captures                            admins      captures:read
DELETE  /captures                            admins      captures
GET     /captures/export                     admins      captures:read always
GET     /captures/{request_id}               admins      captures:read always
DELETE  /captures/{request_id}               admins      captures
GET     /audit                               readers     audit
GET     /usage                               own         usage
GET     /ledger                              readers     ledger
GET     /ledger/export                       readers     ledger
POST    /ledger/verify                       readers     ledger:read
GET     /prices                              readers     prices
GET     /budgets                             own         budgets
POST    /budgets                             admins      budgets
GET     /budgets/{name}                      own         budgets
GET     /budgets/{name}/forecast             own         budgets
PUT     /budgets/{name}                      admins      budgets
PATCH   /budgets/{name}                      admins      budgets
DELETE  /budgets/{name}                      admins      budgets
GET     /budgets/{name}/values               own         budgets
POST    /budgets/{name}/raise                own         budgets
POST    /budgets/{name}/reset                own         budgets
GET     /credits                             own         credits
POST    /credits                             admins      credits
GET     /codes                               readers     credits
POST    /codes                               admins      credits
POST    /codes/redeem                        admins      credits
DELETE  /codes/{id}                          admins      credits
POST    /sign-in                             anybody
GET     /sign-in                             anybody
POST    /sign-in/oidc                        anybody
GET     /sign-in/oidc/callback               anybody
POST    /sign-in/code                        self
POST    /reauthenticate/oidc                 self
POST    /me/identity                         self        -           always
POST    /links/show                          anybody
POST    /links/accept                        anybody
GET     /me                                  self,token
POST    /sign-out                            self
POST    /reauthenticate                      self
POST    /me/password                         self
POST    /me/totp                             self        -           always
DELETE  /me/totp                             self        -           always
POST    /me/totp/confirm                     self        -           always
GET     /users                               readers     users
POST    /users/invite                        admins      users       always
POST    /users/invite-owner                  owners      users       always
GET     /users/{id}                          readers     users
PATCH   /users/{id}                          admins      users       always
DELETE  /users/{id}                          admins      users       always
POST    /users/{id}/reset-link               admins      users       always
DELETE  /users/{id}/totp                     admins      users       always
DELETE  /users/{id}/identity                 owners      users       always
GET     /links                               readers     users
DELETE  /links/{id}                          admins      users       always
GET     /sessions                            self
DELETE  /sessions/{id}                       self
GET     /tokens                              own         tokens
POST    /tokens                              self        -           always
DELETE  /tokens/{id}                         self
POST    /backup                              owners      backup:read always
GET     /openapi.json                        self,token
`

/** Fields of a channel that lead its traffic or its keys elsewhere. */
export const addressFields = [
  'api_key',
  'api_keys',
  'credentials',
  'headers',
  'base_url',
  'proxy',
  'ca_file',
  'allow_private',
] as const

export interface StatedRule {
  readonly method: string
  readonly path: string
  readonly who: string
  /** The scope that a token needs, such as `keys:write`. */
  readonly scope: string | undefined
  readonly password: 'always' | 'address' | undefined
}

export const statedRules: readonly StatedRule[] = statement
  .trim()
  .split('\n')
  .map((line) => {
    const [method = '', path = '', who = '', scope, password] = line.split(/\s+/)
    return { method, path, who, scope: readScope(method, scope), password: readPassword(password) }
  })

/** A noun is read by GET and written by every other method, where the column does not say which. */
function readScope(method: string, column: string | undefined): string | undefined {
  if (column === undefined || column === '-' || column.includes(':'))
    return column?.replace(/^-$/, '') || undefined
  return `${column}:${method === 'GET' ? 'read' : 'write'}`
}

function readPassword(column: string | undefined): StatedRule['password'] {
  if (column === undefined || column === 'always' || column === 'address') return column
  throw new Error(`"${column}" is not a word of the statement`)
}

/** The credential of a request. */
export type AskedBy =
  /** None, or one that is wrong, over, or for something else. */
  | { readonly type: 'nobody' }
  | {
      readonly type: 'session'
      readonly role: string
      readonly isRecent: boolean
    }
  | {
      readonly type: 'user-token' | 'service-token'
      readonly role: string
      readonly scopes: readonly string[]
    }
  | { readonly type: 'admin-token' }

const rolesOfWho: Readonly<Record<string, readonly string[]>> = {
  self: ['owner', 'admin', 'viewer', 'member'],
  'self,token': ['owner', 'admin', 'viewer', 'member'],
  readers: ['owner', 'admin', 'viewer'],
  admins: ['owner', 'admin'],
  owners: ['owner'],
}

/** A credential, and the circumstances of its use. */
export interface AskedHow {
  readonly by: AskedBy
  /** The page of which a browser says that it sends the request; `unnamed` where it says nothing. */
  readonly page: 'own' | 'other' | 'unnamed'
  /** Whether the body has one of `addressFields`. */
  readonly hasAddress: boolean
}

/** The code of the refusal, or `passes`. */
export function statedVerdict(rule: StatedRule, { by, page, hasAddress }: AskedHow): string {
  const needsPassword = rule.password === 'always' || (rule.password === 'address' && hasAddress)
  // The browser comes from the identity provider's page.
  if (rule.path === '/sign-in/oidc/callback') return 'passes'
  if (rule.who === 'anybody') return page === 'other' ? 'cross_site_request' : 'passes'
  switch (by.type) {
    case 'nobody':
      return 'admin_only'
    case 'admin-token':
      return 'passes'
    case 'session':
      if (rule.method !== 'GET' && page !== 'own') return 'cross_site_request'
      if (!mayByRole(rule, by.role)) return 'not_permitted'
      return needsPassword && !by.isRecent ? 'reauthentication_required' : 'passes'
    case 'user-token':
    case 'service-token':
      if (!mayByRole(rule, by.role)) return 'not_permitted'
      // A service is nobody, and so has nothing of its own.
      if (by.type === 'service-token' && rule.who === 'own' && by.role === 'member') return 'not_permitted'
      return mayByScopes(rule, by.scopes, needsPassword) ? 'passes' : 'scope_missing'
  }
}

function mayByRole({ who, method }: StatedRule, role: string): boolean {
  if (who === 'own') return role !== 'viewer' || method === 'GET'
  return rolesOfWho[who]?.includes(role) === true
}

function mayByScopes({ who, scope }: StatedRule, scopes: readonly string[], needsPassword: boolean): boolean {
  if (who === 'self,token') return true
  if (scope === undefined) return false
  const hasScope = scopes.includes(scope) || scopes.includes(scope.replace(':read', ':write'))
  return hasScope && (!needsPassword || scopes.includes('sensitive:write'))
}
