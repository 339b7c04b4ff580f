/** What a page of the guide has beyond its text: the header of the page itself, with the search and the switch of colours. */
import './look/tokens.css'
import './look/base.css'
import './guide.css'
import { render } from 'preact'
import { Header } from './look/header.js'

const top = document.getElementById('top')
if (top !== null) render(<Header place={null} home="../index.html" />, top)
