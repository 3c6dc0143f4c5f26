import { digestRecoveryCode, findTotpStep } from '../../access/people/totp.ts'
import type { User, UserTotp } from '../../access/people/user.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { PeopleContext } from './people-context.ts'

/** The purpose for which a shared secret is encrypted. */
export const totpPurpose = ({ id }: Pick<User, 'id'>): string => `totp ${id}`

/** The form in which a user passed the second factor, in the words of the audit log. Undefined if the user has none. */
export type SecondFactor = 'code' | 'recovery code' | undefined

/** Fails with `code_required` if the user has a second factor and the code is not an unused code of it. */
export async function checkSecondFactor(
  user: User,
  code: string | undefined,
  context: Pick<PeopleContext, 'stores' | 'sealer' | 'clock'>,
): Promise<SecondFactor> {
  const { totp } = user
  if (totp?.type !== 'confirmed') return undefined
  const shown = code === undefined ? undefined : await readNewCode(code, { user, totp }, context)
  if (shown === undefined) throw new GatewayError('code_required')
  return shown
}

type ConfirmedTotp = Extract<UserTotp, { readonly type: 'confirmed' }>

/** Undefined if the code is wrong or was already used. */
async function readNewCode(
  code: string,
  { user, totp }: { readonly user: User; readonly totp: ConfirmedTotp },
  { stores, sealer, clock }: Pick<PeopleContext, 'stores' | 'sealer' | 'clock'>,
): Promise<SecondFactor> {
  const secret = openTotpSecret(user, sealer)
  const typed = code.replaceAll(' ', '')
  if (secret !== undefined && /^\d{6}$/.test(typed)) {
    const step = findTotpStep({ secret, code: typed, nowMs: clock.nowMs(), lastStep: totp.lastStep })
    return step !== undefined && (await stores.users.useTotpStep(user.id, step)) ? 'code' : undefined
  }
  return (await stores.users.useRecoveryCode(user.id, digestRecoveryCode(code))) ? 'recovery code' : undefined
}

/** Undefined if the installation's secret was replaced after the set-up. */
export function openTotpSecret(user: User, sealer: PeopleContext['sealer']): Buffer | undefined {
  const { totp } = user
  const opened = totp === undefined ? undefined : sealer.open(totp.sealedSecret, totpPurpose(user))
  return opened === undefined ? undefined : Buffer.from(opened, 'base64url')
}
