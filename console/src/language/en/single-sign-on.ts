export const singleSignOnMessages = {
  'sso.continue': 'Continue with {label}',
  'sso.or': 'or',
  'sso.owners': 'Owners can sign in with a password',
  'sso.again.title': 'Show again that it is you',
  'sso.again.open': 'Sign in at {label}',
  'sso.again.why': 'It opens in a new tab. Come back here afterwards; this page then goes on by itself.',
  'sso.title': 'Single sign-on',
  'sso.back': 'To the sign-in page',
  'sso.done': 'You have shown who you are. You can close this tab.',
  'sso.identity': 'Identity',
  'sso.identity.none': 'not linked',
  'sso.identity.why': 'Link your identity at {label}, and you can sign in with it instead of a password.',
  'sso.identity.link': 'Link my identity',
  'sso.identity.unlink': 'Unlink the identity',
  'sso.identity.unlink.why':
    'They can no longer sign in through the identity provider, and their sessions end.',
  'sso.identity.unlink.password': 'They have no password: make a link to a new one afterwards.',
  'sso.identity.unlinked': 'The identity of {name} is unlinked.',
  'sso.code.title': 'One more step',
  'sso.code.why': 'You have a second factor here. Enter its code to go on.',
  'sso.enrol.title': 'Set up a second factor',
  'sso.enrol.why': 'Your role requires one. Set it up now to go on.',
  'sso.enrol.go_on': 'I have stored the codes',
  'sso.outcome.authorization_not_found':
    'This sign-in was used already, took more than 10 minutes, or was begun in another browser. Begin again.',
  'sso.outcome.identity_provider_unavailable':
    'The identity provider does not answer. Try again shortly, or sign in with a password if you have one.',
  'sso.outcome.identity_provider_refused':
    'The identity provider did not let you in, or you left its page. Begin again, and ask its operators if it goes on.',
  'sso.outcome.oidc_client_refused':
    'The identity provider does not accept this gateway. An operator must compare client ID, secret and redirect address.',
  'sso.outcome.authorization_code_refused':
    'The identity provider no longer accepts this sign-in: it was used or took too long. Begin again.',
  'sso.outcome.id_token_expired':
    'What the identity provider sent has expired. Begin again; an operator must compare the clocks if it goes on.',
  'sso.outcome.id_token_invalid':
    'What the identity provider sent does not fit this sign-in. Begin again; the audit tells an operator what did not fit.',
  'sso.outcome.not_signed_in_again':
    'The identity provider did not ask you to sign in again. Begin again, or ask an operator.',
  'sso.outcome.email_not_verified':
    'Your e-mail address is not verified at the identity provider. Verify it there, or ask for an invitation.',
  'sso.outcome.domain_not_allowed':
    'Nobody here has this identity, and its domain may not sign up. Ask an owner or an admin for an invitation.',
  'sso.outcome.role_claim_missing':
    'The identity provider does not say which role you have. An operator must check the role claim and the scopes.',
  'sso.outcome.role_not_given':
    'The identity provider gives you no role here. Ask its operators to give you access.',
  'sso.outcome.user_disabled': 'Your user is disabled. Ask an owner or an admin to enable it.',
  'sso.outcome.user_name_unusable':
    'The identity provider gives no name that a user can have. Ask an owner or an admin for an invitation under a name.',
  'sso.outcome.name_taken':
    'A user here has your name. If it is you, sign in with the password and link the identity on your account page; else ask for an invitation under another name.',
  'sso.outcome.identity_in_use':
    'This identity belongs to another user, or this user has one. An owner can unlink it.',
  'sso.outcome.other_identity':
    'You signed in there as another user. Sign in as the user who is signed in here.',
  'sso.outcome.link_not_found':
    'The link of the invitation no longer works. Ask the person who gave it to you for another one.',
  'sso.outcome.other': 'The sign-in did not succeed. Begin again, and ask an operator if it goes on.',
} as const
