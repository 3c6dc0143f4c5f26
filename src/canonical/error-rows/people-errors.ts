import type { ErrorRow } from './error-row.ts'

/** A refusal of a person whom the identity provider signed in. Repeating the request does not help. */
const refused = { status: 403, type: 'permission', retry: 'never', blame: 'caller' } as const
const misconfigured = { status: 502, type: 'api', retry: 'never', blame: 'operator' } as const

/** The errors of signing in by password or through an identity provider, and of users, links, sessions and tokens. */
export const peopleErrors = {
  sign_in_failed: {
    status: 401,
    type: 'authentication',
    retry: 'never',
    blame: 'caller',
    message:
      'The name or the password is wrong, or the user is disabled. An operator can make a link for a new password: "headgate users reset <name>".',
  },
  code_required: {
    status: 401,
    type: 'authentication',
    retry: 'never',
    blame: 'caller',
    message:
      'This user has a second factor. Send the code that the authenticator app shows now, or a recovery code, as "code". A code counts once.',
  },
  too_many_sign_ins: {
    status: 429,
    type: 'rate-limit',
    retry: 'wait',
    blame: 'caller',
    message: 'Too many sign-ins have failed for this name or from this address. Try again later.',
  },
  sign_in_busy: {
    status: 503,
    type: 'overloaded',
    retry: 'wait',
    blame: 'caller',
    message: 'Too many people sign in at this moment. Try again in a few seconds.',
  },
  link_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'This link does not work: it was used, has expired, was withdrawn, or is not complete. Ask the one who gave it to you for another.',
  },
  user_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'There is no user with this id or name. "headgate users list" and GET /admin/v1/users list the users.',
  },
  session_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message: 'There is no session with this id, or it is over. GET /admin/v1/sessions lists the sessions.',
  },
  token_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'There is no token with this id. "headgate tokens list" and GET /admin/v1/tokens list the tokens.',
  },
  too_many_tokens: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'This user has as many tokens as there may be. Revoke one that is no longer used.',
  },
  user_disabled: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'This user is disabled. Enable the user first: "headgate users enable <name>".',
  },
  session_required: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message: 'This is for a user who is signed in with a password; a token cannot do it.',
  },
  second_factor_exists: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'This user has a second factor already. Remove it first: DELETE /admin/v1/me/totp.',
  },
  last_owner: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'This is the last active owner, who can be neither deleted nor disabled nor given another role. Make another owner first.',
  },
  not_permitted: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message: 'Your role does not permit this. Ask an owner or an admin.',
  },
  scope_missing: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message: 'This token has no scope for this. Make one that has: "headgate tokens create".',
  },
  reauthentication_required: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message:
      'Your password is needed again for this: POST /admin/v1/reauthenticate, then send the request again within 10 minutes.',
  },
  cross_site_request: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message:
      'A page of another site sent this with your session, so it was refused. Requests that change something come from the page of this gateway itself; scripts send a token as "Authorization: Bearer <token>".',
  },
  owner_required: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message: 'Only an owner makes or changes owners. Ask one.',
  },
  single_sign_on_off: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'Single sign-on is not set up here. Sign in with name and password; an operator can add "sign_in: { oidc: … }" to the configuration file.',
  },
  authorization_not_found: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'This answer of the identity provider belongs to no sign-in of this browser: it was used already, is older than 10 minutes, or was begun elsewhere. Begin again on the sign-in page.',
  },
  identity_provider_unavailable: {
    status: 503,
    type: 'overloaded',
    retry: 'caller',
    blame: 'operator',
    message:
      'The identity provider cannot be reached, or does not answer as one. Try again shortly. Who has a password can sign in with it; the log or the audit says what was seen.',
  },
  identity_provider_refused: {
    ...refused,
    message:
      'The identity provider did not let you in, or you left its page. Begin again, and ask the operators of the identity provider if it goes on.',
  },
  oidc_client_refused: {
    ...misconfigured,
    message:
      'The identity provider does not accept this gateway. An operator compares "client_id", "client_secret" and the redirect address with what is registered there.',
  },
  authorization_code_refused: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The identity provider does not accept the code of this sign-in: it was used already or has expired. Begin again on the sign-in page.',
  },
  id_token_expired: {
    ...misconfigured,
    message:
      'The ID token of the identity provider has expired, or is from the future. Begin again; if it goes on, an operator compares the clocks of both servers.',
  },
  id_token_invalid: {
    ...misconfigured,
    message:
      'The ID token of the identity provider does not fit this sign-in. Begin again; if it goes on, an operator compares "issuer" and "client_id" with what is registered there. The audit says what did not fit.',
  },
  not_signed_in_again: {
    ...refused,
    message:
      'The identity provider did not ask you to sign in again. Begin again; if it goes on, an operator checks that the provider follows "prompt=login" and "max_age" and sends "auth_time".',
  },
  email_not_verified: {
    ...refused,
    message:
      'The identity provider does not say that your e-mail address is verified. Verify it there, or ask an owner or an admin here for an invitation.',
  },
  domain_not_allowed: {
    ...refused,
    message:
      'Nobody here has this identity, and addresses of its domain may not sign up. Ask an owner or an admin for an invitation.',
  },
  role_claim_missing: {
    ...refused,
    message:
      'The identity provider does not say which role you have here. An operator checks "role_claim" and "scopes", and that the provider sends this claim.',
  },
  role_not_given: {
    ...refused,
    message:
      'The identity provider gives you no role here. Ask the operators of the identity provider to add you to a group or role that has access.',
  },
  user_name_unusable: {
    ...refused,
    message:
      'The identity provider gives no name that a user can have. An operator checks "name_claim", or invites you under a name.',
  },
  identity_in_use: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'This identity belongs to another user already, or this user has one. An owner can unlink it: "headgate users unlink-identity <name>".',
  },
  other_identity: {
    ...refused,
    message:
      'You signed in at the identity provider as another user. Sign in there as the user who is signed in here.',
  },
  password_sign_in_off: {
    ...refused,
    message: 'Sign in through the identity provider: only owners may use a password here.',
  },
  second_factor_required: {
    ...refused,
    message:
      'Your role requires a second factor. Set one up first: in the console, or POST /admin/v1/me/totp and /admin/v1/me/totp/confirm.',
  },
} as const satisfies Record<string, ErrorRow>
