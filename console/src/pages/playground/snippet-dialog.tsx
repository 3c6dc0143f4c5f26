import { useState } from 'react'
import { t } from '../../language/language.ts'
import { useCallerAddress } from '../../settings/caller-address.ts'
import { CodeBlock } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SegmentedChoice } from '../../ui/segmented-choice.tsx'
import type { ModelColumn, PlaygroundSettings } from './conversation.ts'
import { type SnippetName, snippetNames, snippetTitles, writeSnippet } from './write-snippets.ts'

interface SnippetDialogProps {
  /** Undefined while the dialog is closed. */
  readonly column: ModelColumn | undefined
  readonly settings: PlaygroundSettings
  readonly onClose: () => void
}

/** The request of a column as code for a program. */
export function SnippetDialog({ column, settings, onClose }: SnippetDialogProps) {
  const address = useCallerAddress()
  const [name, setName] = useState<SnippetName>('curl')
  return (
    <Dialog
      isOpen={column !== undefined}
      onClose={onClose}
      shape="wide"
      title={t('playground.copy_as', { model: column?.model ?? '' })}
      description={t('playground.copy_why')}
    >
      {column !== undefined && (
        <div className="space-y-3">
          <SegmentedChoice
            label={t('playground.client')}
            value={name}
            choices={snippetNames.map((each) => [each, snippetTitles[each]] as const)}
            onChange={setName}
          />
          <CodeBlock label={snippetTitles[name]} text={writeSnippet(name, { address, column, settings })} />
        </div>
      )}
    </Dialog>
  )
}
