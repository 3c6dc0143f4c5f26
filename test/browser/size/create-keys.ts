import type { KeyId } from '../../../src/access/key.ts'
import { openDataFolder } from '../../../src/app/open-data-folder.ts'
import { brand } from '../../../src/kit/brand.ts'
import { systemRandom } from '../../../src/kit/random/random.ts'
import { systemClock } from '../../../src/kit/time/clock.ts'
import { USERS } from './large-installation.ts'

export interface NamedKey {
  readonly id: KeyId
  readonly name: string
}

/** Creates keys as the command does, in a data folder that no server has. */
export async function createKeys(dataFolder: string, count: number): Promise<readonly NamedKey[]> {
  const keys = await openDataFolder(dataFolder, { clock: systemClock, random: systemRandom }).openKeys(
    undefined,
  )
  const made: NamedKey[] = []
  for (let index = 0; index < count; index += 1) {
    const name = `service-${index}`
    const { id } = await keys.operations.create({
      name,
      user: `user-${index % USERS}`,
      tags: { team: `team-${index % 20}` },
    })
    made.push({ id: brand<KeyId>(id), name })
  }
  await keys.close()
  return made
}
