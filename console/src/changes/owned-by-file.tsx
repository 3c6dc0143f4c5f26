import { t } from '../language/language.ts'
import { CodeBlock } from '../ui/copy-button.tsx'
import { Banner } from '../ui/states.tsx'
import { writeYaml } from './write-yaml.ts'

interface OwnedByFileProps {
  readonly document: unknown
  readonly advice?: string
}

/** Says that the configuration file owns an object, and shows its lines in the file. */
export function OwnedByFile({ document, advice = t('owner.file.advice') }: OwnedByFileProps) {
  return (
    <div className="space-y-3">
      <Banner tone="accent">{advice}</Banner>
      <CodeBlock text={writeYaml(document)} label={t('owner.file.lines')} />
    </div>
  )
}
