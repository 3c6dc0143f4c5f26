import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle } from '../../../scripts/bundle.ts'
import { launcher } from './launcher.ts'
import { keepBuild } from './old-builds.ts'
import { programsFolder, repository } from './program-folder.ts'

/** Builds the program before the first test, unless it is there. Another run may build the same one at the same time. */
export default async function setUp(): Promise<void> {
  const folder = dirname(dirname(launcher))
  if (!existsSync(folder)) await build(folder)
  keepBuild(folder, join(programsFolder, '*'))
}

async function build(folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  await bundle(join(unfinished, 'dist'))
  for (const name of ['bin', 'package.json'])
    cpSync(join(repository, name), join(unfinished, name), { recursive: true })
  if (existsSync(folder)) rmSync(unfinished, { recursive: true })
  else renameSync(unfinished, folder)
}
