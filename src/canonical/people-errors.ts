import type { ErrorRow } from './error-row.ts'

/** The errors of signing in, and of users, links, sessions and tokens. */
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
} as const satisfies Record<string, ErrorRow>
