//! Seeds of lexicons, language models and the text files of `padwise decode`.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use padwise_fuzz::parts;

use crate::{Made, Seeds};

const LEXICON: &str =
    ";;; comment\nONE W AH N # first\nONE(2) W AA N\nit's IH T S\n'em AH M\nem EH M\n";
const PROBABILITIES: &str = "one 1.0 W AH N\none 0.25 W AA N\ntwo 1 T UW\n";
const MODEL: &str = "\\data\\\nngram 1=7\nngram 2=4\nngram 3=3\n\n\\1-grams:\n-99\t<s>\t-0.5\n-1\t</s>\n-0.5\tONE\t-0.25\n\
    -0.75\ttwo\t-0.125\n-2\t<unk>\t-0.1\n-1.5\t'em\n-3\tfour\n\n\\2-grams:\n-0.25\t<s> ONE\t-0.3\n-0.1\tONE two\t0.2\n\
    -0.4\ttwo </s>\n-0.7\tfour two\n\n\\3-grams:\n-0.2\t<s> ONE two\n-0.3\ttwo two ONE\n-0.6\tONE <unk> two\n\n\\end\\\n";

pub(crate) fn make(seeds: &Seeds) -> Made {
    seeds.add("lexicon", "valid.txt", LEXICON)?;
    seeds.add("lexicon", "valid.txt.gz", compressed(LEXICON)?)?;
    seeds.add("lexicon", "probabilities.txt", PROBABILITIES)?;
    seeds.add("lexicon", "bad-word-alone.txt", "ONE\n")?;
    seeds.add("arpa", "valid.arpa", MODEL)?;
    let whole = compressed(MODEL)?;
    seeds.add("arpa", "valid.arpa.gz", &whole)?;
    seeds.add("arpa", "bad-truncated.arpa.gz", &whole[..whole.len() / 2])?;
    let claim = MODEL.replace("3=3", "3=4000000000");
    seeds.add("arpa", "bad-claim.arpa", claim)?;
    let unigrams = "\\data\\\nngram 1=3\n\\1-grams:\n-1 <s>\n-1 </s>\n-0.3 three\n\\end\\\n";
    seeds.add("arpa", "unigrams.arpa", unigrams)?;
    let texts = [
        "SIL AH\n<space>\n",
        "3.5 1e1\n0.25\n",
        "u1 one two\nu 2\tTHREE\nu3\n",
    ];
    seeds.add("decode-texts", "valid", parts::join(&texts))?;
    let texts = ["SIL SIL\n", "0 nan\n", "u1 one\nu1 one\n"];
    seeds.add("decode-texts", "bad-values", parts::join(&texts))
}

fn compressed(text: &str) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}
