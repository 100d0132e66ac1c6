// SPDX-License-Identifier: Apache-2.0

package trigger

import (
	"bytes"
	"strings"
)

// common is what three bytes of sessions most often are, in lower case, the commonest first. A word is known by others where it
// has others.
var common = func() map[string]int {
	list := strings.Fields(`
		\t\ t\t \n\ n\t ":" "," )\n err con tre ess age \\\ ent nte rea str ing ont \") e": ext sag ser ion ")\ int ter rro
		ror \", d": ssi tex typ mes use ype rin \t/ the t// sio id" res oke ken tok par len est ode unc and ran fun ead ,"t
		n\n ,\n tri \ti che ssa \tr sta tur val ult ses eco nch ret anc \"\ etu der pe" ite set ach urn bra tif .\n \": esu
		\tf sul \n/ n// cac rit buf han wri alu ind ers lue rse rec tes ars fer for ool nde ler ade dle usa ntr ord tim ffe
		uff t\n ndl off ree (\" ime try dex cor ist nod fse nt" eng ffs gth ngt "ty onf t": nfi t\" als ten eam too nil ens
		fig n": "to all ain "us ile ,"u put ass ath "pa fil ere ice pat ,"s uid s": \nf nfu ame uui \tc "co lic \tt ant "re
		:"t div in" ern tin ver \"c nam ren sig ons tio ,"i e\n e\" \"r ali tfo are .co uin me/ nst equ t_t .er :"m ert f(\
		_to inp ns" nal :"/ npu ut_ lse ge" ome dec en( cha req ,"c \\n n", tan \ts t", nco on" lin amp hom h": fal n\" r)\
		/ho "/h ctx tbr cla app "me (st t.e :"a thi cal tha fmt "se "\" ire olu src rr) orf :"e nt) run rf( .re lit \"p pli
		ide mt. pro tru ati ate out tco ngs le" iss rna nti "\\ gs. las rsi ack er" ine ()\ s.s xte or) rre loc \tp it( ,"m
		se, mai eme spl [i] e/s ng, git i++ qui "ti \\u hai ase ,"r ect sis ort rc/ /sr cod _re ntu ;\n tam th\ ol_ oni ech
		>\n uir ":f :fa sid \tb tuu .sp =\" mp" p": re( \\s "uu xt. "\n re\ enc com h\" "st "ma "ex t.c rs\ not "is ":[ s\\
		unt :\\ \\w e," rty _in \us e", e/a ce/ "ve byt c/a yte ch" sti );\ l", /ap ata (ct ole /al rol e(' xt, gen c:\ tva
		cwd tt. "gi \w+ nid $\" '); itb *\\ al" \"^ ^\\ "^\ "c: wd" "cw ,"g ,"v s*\ \s* "as ese +$\ w+$ /di "ro w\" tca s=\
		</d iv> <di id= ss= :"u new ace d=' tfu %w\ v>\ (re ft, his st; ]," reg ign \nc her \tv "in epa \te "ca mpl hat era
		ted sto erc erv pac mod ,"p ock tle oun por nse tpa ize sca ith ple e.\ pri ang var sys wit igh g": nge :"d \"s tat
		exp e-a "fi men wor ,"n imp cre eat lt" dat ele z", wan rig \"b ))\ lu_ mer \tm can he_ min :\n "id tst und top _us
		oin ght rco "te dir \"e //\ one .go tra tho cas l_u d\" add cka ove que p", fe- cb- \tn st. del \tw ink ng. get uct
		dev \n" -da kag b-d end -eb ral pre ruc cen mat num loa tpu utp rst etr pp" son hec r", rof ntl er( nes msg (co lus
		omp \"t \tl ",\ .st /go tal def /\n ore s\n \td tch hre hem poi ble ttr ng" nc( ull art ptr r\n \"f tto siz ork eto
		ors rac orm :"c \"a tse mpo sg_ ,"o hin llo igc erb thr nce .in ger --- ned map afe xt" gre flo inf kin our ges les
		per eof \t_ arg uns cti eer cop tar tem phe \to tbu rce tus saf d.\ al_ ste (er //g _cr log rat le. *te e_c ero ev/
		ake een ed. go: /de nul me. ein erm "ms ete rou ebu ues eph oat \\x got its rue tno s() op_ eri e/d abl rom eas s\"
		pen pos "ep th" nsa urc sou o", tof din es" e-h mar ins t)\ (in /gr tme egs ysc gna tte eck ll, rk/ /wo v/w k/g c\"
		twr nt( txt lea`)
	m := make(map[string]int, len(list))
	for i, three := range list {
		m[three] = 100000 / (i + 10)
	}
	return m
}()

// cost tells how often some bytes stand in text that has nothing to do with the word: as often as the rarest three of them.
func cost(bytes []byte) int {
	rarest := costOfThree(bytes[:3])
	if len(bytes) > 3 {
		rarest = min(rarest, costOfThree(bytes[1:]))
	}
	return rarest
}

func costOfThree(three []byte) int {
	if c, ok := common[strings.ToLower(string(three))]; ok {
		return c
	}
	letters := 0
	if bytes.IndexByte(three, ' ') >= 0 {
		letters = 200
	}
	for _, c := range three {
		if 'a' <= c|0x20 && c|0x20 <= 'z' {
			letters++
		}
	}
	return letters
}
