/**
 * A recording as one HTML file that plays it: nothing is fetched, so it works from a folder, in a mail, on a machine that is offline.
 *
 *     <style>          the page's
 *     <script type="application/json" id="tcspec-recording">     the document
 *     <div id="page">  where the script puts the player; what it holds without scripts is the text of the verdict
 *     <script>         the page's: a classic script, which plays the recording that it finds
 *
 * Laws
 * 1. The document reads back as it was, and no text of a kernel becomes markup.
 * 2. The file names no other: it has no `src` and no `href` of ours.
 */
import type { Recording } from './model.js'

/** What plays it: a classic script and its style, as texts. */
export interface Player {
  readonly script: string
  readonly style: string
}

/** The element that the document stands in. */
export const recordingId = 'tcspec-recording'

const markup: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => markup[c] ?? c)

/** JSON has `<` in strings alone, where it may be written so; then nothing in it ends a script, or begins a comment. */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c')

/** A script has these in strings and regular expressions alone, where the backslash says nothing. */
const asScript = (script: string): string => script.replace(/<(?=\/script|!--)/gi, '\\x3c')
const asStyle = (style: string): string => style.replace(/<(?=\/style)/gi, '\\3c ')

/** The file: `text` is what it says where no script runs. */
export const recordingPage = (recording: Recording, text: string, { script, style }: Player): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(`${recording.kernel} · tensorcore-spec`)}</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${asStyle(style)}</style>`,
    `<script type="application/json" id="${recordingId}">${inScript(JSON.stringify(recording))}</script>`,
    '</head>',
    '<body>',
    `<div id="page"><noscript><pre>${escaped(text)}</pre></noscript></div>`,
    `<script>${asScript(script)}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n')
