import type { ErrorRow } from './error-row.ts'

/** The errors of objects that operators change: the configuration, its versions, and redemption codes. */
export const configErrors = {
  alert_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'There is no alert with this id. "headgate alerts list" and GET /admin/v1/alerts list open and past ones.',
  },
  alert_resolved: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'This alert is over; only an open one can be acknowledged or muted.',
  },
  capture_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'Nothing is stored of the prompt and the answer of this request: it was not captured, or that was deleted. "headgate captures list" and GET /admin/v1/captures list what there is.',
  },
  code_not_redeemable: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'This code cannot be redeemed. "headgate codes list" shows which ones can.',
  },
  config_object_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message: 'The configuration has nothing of this name. GET /admin/v1/config shows what it has.',
  },
  config_version_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message: 'There is no such version. GET /admin/v1/config/versions lists them.',
  },
  config_invalid: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The configuration would not be valid, so nothing was changed. "problems" lists what is wrong.',
  },
  group_in_use: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The group has keys that are not revoked, which could use nothing without it. Give them another group or revoke them first.',
  },
  owned_by_file: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'This belongs to the configuration file. Change it there and reload.',
  },
  config_version_conflict: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The configuration was changed in between. Read it again, and make your change to what it is now.',
  },
  draft_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'There is no such draft: it was applied, discarded, or has expired. GET /admin/v1/drafts lists those that there are.',
  },
  draft_changed: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The draft was changed in between. Read it again, and decide on what it is now.',
  },
  draft_outdated: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The configuration was changed since the draft was begun. Rebase the draft, look at what it does now, and apply it then.',
  },
  draft_conflict: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The draft and the configuration in force changed the same objects. "problems" lists them; say for each which of the two stays.',
  },
  draft_too_large: {
    status: 413,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'A draft may have 1 MB. Apply a part of the change first.',
  },
  too_many_drafts: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'There are 50 drafts, which is the most. Apply or discard one first.',
  },
  undo_conflict: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'Later versions changed the same objects, so that undoing this one would undo them as well. "problems" lists them; "force" does it all the same.',
  },
  nothing_to_undo: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'There is no earlier version to go back to.',
  },
} as const satisfies Record<string, ErrorRow>
