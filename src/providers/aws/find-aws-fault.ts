import { GatewayError } from '../../canonical/failure.ts'
import type { Channel } from '../../catalog/channel.ts'
import { reasonOf } from '../../kit/values/reason-of.ts'
import type { Machine } from '../authorizer.ts'
import type { SettingFault } from '../provider.ts'
import { describeElsewhere, isOfAws } from './aws-authorizer.ts'
import { readNamedProfile } from './find-aws-credentials.ts'

/** Why no call of the channel could be signed with what the machine has. Nothing is sent. */
export async function findAwsFault(channel: Channel, machine: Machine): Promise<SettingFault | undefined> {
  const { settings, credentials } = channel
  const { profile, access_key_id: keyId } = settings ?? {}
  // Keys of the channel's own stand above what the machine has.
  if (keyId !== undefined || credentials.length > 0) return undefined
  if (!isOfAws(channel)) return { name: 'access_key_id', message: describeElsewhere(channel) }
  if (profile === undefined) return undefined
  try {
    await readNamedProfile(profile, machine)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return { name: 'profile', message: error.message }
    const reason = reasonOf(error)
    return { name: 'profile', message: `the files of credentials for AWS cannot be read: ${reason}` }
  }
}
