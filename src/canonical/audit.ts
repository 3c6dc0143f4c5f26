/** The author of an operator action, and the address that the action came from. */
export interface Actor {
  /** The author, such as `admin token`, `command line` or `configuration file`. */
  readonly author: string
  /**
   * The credential that the author presented, such as `session`, `token "ci"` or `password`. Empty where no
   * credential was asked for, as for a change of the configuration file.
   */
  readonly credential: string
  /** The address that the request came from. Empty where there was no request. */
  readonly address: string
}

export const auditActions = [
  'key.create',
  'key.change',
  'key.disable',
  'key.enable',
  'key.revoke',
  'key.rotate',
  'config.change',
  'config.undo',
  'config.restore',
  'draft.create',
  'draft.discard',
  'config.reload',
  'config.reload_refused',
  'health.reset',
  'alert.acknowledge',
  'alert.mute',
  'alert.unmute',
  'alert.test',
  'channel.certify',
  'channel.try',
  'capture.read',
  'capture.delete',
  'capture.export',
  'backup.create',
  'credits.grant',
  'codes.create',
  'codes.redeem',
  'codes.revoke',
  'budget.raise',
  'budget.reset',
  'user.create',
  'user.change',
  'user.disable',
  'user.enable',
  'user.delete',
  'user.sign_in',
  'user.sign_in_refused',
  'user.reauthenticate',
  'user.password',
  'user.second_factor',
  'user.identity_link',
  'user.identity_unlink',
  'session.end',
  'token.create',
  'token.revoke',
  'link.create',
  'link.delete',
  'admin_token.use',
] as const

export type AuditAction = (typeof auditActions)[number]

/** One action of an operator. Contains no secret. */
export interface AuditRecord extends Actor {
  readonly action: AuditAction
  /**
   * The object of the action: the ID of a key, a user, a code or a budget, the number of a version, the name of a
   * channel.
   */
  readonly subject: string
  /** Whole sentences about the action. */
  readonly details: readonly string[]
  /** The wall-clock time of the action. */
  readonly atMs: number
}
