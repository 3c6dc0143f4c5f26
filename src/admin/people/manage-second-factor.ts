import {
  digestRecoveryCode,
  findTotpStep,
  makeRecoveryCodes,
  makeTotpSecret,
  writeBase32,
  writeTotpUri,
} from '../../access/people/totp.ts'
import type { UserId } from '../../access/people/user.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { readInput } from '../read-input.ts'
import { refuseField } from '../view-problem.ts'
import { openTotpSecret, totpPurpose } from './check-second-factor.ts'
import {
  findUser,
  type Operator,
  type PeopleContext,
  recordOf,
  requireOwnerFor,
  requireSession,
} from './people-context.ts'
import { confirmTotpSchema } from './people-input-schema.ts'

/** The operations on the caller's second factor. The last operation lets admins remove that of others. */
export interface SecondFactorOperations {
  /** Starts the set-up. The secret is valid after one of its codes is confirmed. */
  start(by: Operator): Promise<{ readonly secret: string; readonly uri: string }>
  /** Resolves with recovery codes, which are shown only now. */
  confirm(input: unknown, by: Operator): Promise<readonly string[]>
  remove(reference: string | undefined, by: Operator): Promise<void>
}

export function createSecondFactorOperations(context: PeopleContext): SecondFactorOperations {
  const { stores, sealer, clock, random } = context
  const change = (userId: UserId, details: readonly string[], { actor }: Operator) =>
    recordOf(actor, context, { action: 'user.second_factor', subject: userId, details })
  return {
    async start(by) {
      const user = await findUser(context, requireSession(by).id)
      if (user.totp?.type === 'confirmed') throw new GatewayError('second_factor_exists')
      const secret = makeTotpSecret(random)
      const sealedSecret = sealer.seal(secret.toString('base64url'), totpPurpose(user))
      const totp = { type: 'pending', sealedSecret } as const
      await stores.users.changeTotp(user.id, totp, { recoveryDigests: [], record: undefined })
      return { secret: writeBase32(secret), uri: writeTotpUri(secret, user.name) }
    },
    async confirm(input, by) {
      const { code } = readInput(confirmTotpSchema, input)
      const user = await findUser(context, requireSession(by).id)
      if (user.totp?.type === 'confirmed') throw new GatewayError('second_factor_exists')
      const secret = openTotpSecret(user, sealer)
      const check = { code: code.replaceAll(' ', ''), nowMs: clock.nowMs(), lastStep: 0 }
      const step = secret === undefined ? undefined : findTotpStep({ ...check, secret })
      if (user.totp === undefined || step === undefined)
        throw refuseField('invalid_field', {
          param: 'code',
          message:
            'The code is not one of the secret that was made last. Check the clock of the phone, or start again.',
          fact: { code: 'wrong_code', values: {} },
        })
      const codes = makeRecoveryCodes(random)
      const { credential } = requireSession(by)
      await stores.users.changeTotp(
        user.id,
        { type: 'confirmed', sealedSecret: user.totp.sealedSecret, lastStep: step },
        { recoveryDigests: codes.map(digestRecoveryCode), record: change(user.id, ['on'], by) },
      )
      await stores.sessions.showFactor(credential.id, undefined)
      return codes
    },
    async remove(reference, by) {
      const user = await findUser(context, reference ?? requireSession(by).id)
      if (reference === undefined && context.signIn().secondFactorRoles.includes(user.role))
        throw refuse('second_factor_required', {
          message: REQUIRED,
          fact: { code: 'role_requires_factor', values: {} },
        })
      if (reference !== undefined) requireOwnerFor(by, user.role)
      await stores.users.changeTotp(user.id, undefined, {
        recoveryDigests: [],
        record: change(user.id, ['off'], by),
      })
    },
  }
}

const REQUIRED =
  'Your role requires a second factor, so it cannot be turned off. To replace a lost one, ask an owner or an admin.'
