import { GatewayError } from '../canonical/failure.ts'
import type { Channel } from '../catalog/channel.ts'
import { reasonOf } from '../kit/reason-of.ts'
import type { Machine } from './authorizer.ts'
import { readNamedProfile } from './find-aws-credentials.ts'
import type { SettingFault } from './provider.ts'

/** Why no call of the channel could be signed with the profile that it names. Nothing is sent. */
export async function findAwsFault(
  { settings, credentials }: Channel,
  machine: Machine,
): Promise<SettingFault | undefined> {
  const { profile, access_key_id: keyId } = settings ?? {}
  // Keys of the channel's own stand above the profile.
  if (profile === undefined || keyId !== undefined || credentials.length > 0) return undefined
  try {
    await readNamedProfile(profile, machine)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return { name: 'profile', message: error.message }
    const reason = reasonOf(error)
    return { name: 'profile', message: `the files of credentials for AWS cannot be read: ${reason}` }
  }
}
